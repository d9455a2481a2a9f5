/** B27: commands, arguments, variables and names that try to run something, or to become a path. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serverCommand } from '../../test/servers/launch.ts';
import type { Check } from '../check.ts';
import { type Dict, ERAS } from '../kit/agent-requests.ts';
import { runCommand } from '../kit/command-line.ts';
import { knock } from '../kit/knock.ts';
import { type OperationReply, operate, order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';
import { hostileArguments, namesWithPaths, shellLines } from '../kit/sly-texts.ts';

export const injection: Check = {
  id: 'B27',
  kind: 'bad inputs',
  title: 'Commands, arguments, variables and names that reach out',
  passes: 'the marker file never appears, nothing is written outside the data folder, others than the owner get 403',
  eras: ERAS,
  isAboutStore: true,
  open: [
    'import from other agents: it adds servers in the way that is tried here',
    'registries and archives, which are not built',
  ],
  async run(rig) {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-exam-marks-'));
    try {
      const stage = { folder, mark: join(folder, 'mark'), word: rig.random.word('canary') };
      const lines = shellLines(stage.mark);
      // With a line break the whole file is refused.
      const inFile = lines.filter((line) => !line.includes('\n'));
      const written = Object.fromEntries(inFile.map((command, at) => [`written-${at}`, { command }]));
      const setup = await rig.open({
        servers: {
          local: { tools: [...namesWithPaths(stage.word).map((name) => ({ name, runAs: 'big' })), { name: 'echo' }] },
          remote: { transport: 'http', era: 'modern' },
        },
        config: { connect: { maxRetries: 0, timeoutMs: 5_000 } },
        configText: (config) => JSON.stringify(withServers(config as Dict, written)),
      });
      await rig.part('commands', () => commands(rig, setup, lines, inFile.length));
      await rig.part('strangers', () => strangers(rig, setup, lines));
      await rig.part('variables', () => variables(rig, setup, stage));
      await rig.part('arguments', () => argumentsOfCalls(rig, setup, stage));
      await rig.part('names', () => names(rig, setup, stage));
      await rig.part('addresses', () => addresses(rig, setup, stage));
      expectNothing(rig, setup, stage);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Stage {
  /** Where marks would appear, and where programs that make them lie. */
  readonly folder: string;
  readonly mark: string;
  /** Stands in every name that tries to become a path. */
  readonly word: string;
}

function withServers(config: Dict, more: Dict): Dict {
  return { ...config, mcpServers: { ...(config.mcpServers as Dict), ...more } };
}

/** By the file, the API, the owner's door and the command line: no shell reads any of it. */
async function commands(rig: Rig, setup: Setup, lines: readonly string[], inFile: number): Promise<void> {
  const fromFile = await order(setup, 'servers.list', {});
  const written = fromFile.filter(({ name }) => name.startsWith('written-'));
  rig.expect(written.length === inFile, `${written.length} of ${inFile} servers of the file are there.`);
  for (const { name } of written) await order(setup, 'servers.refresh', { name, force: true, once: true });
  const owner = await setup.agent('modern', { door: '/gateway/mcp', isOwner: true });
  const { command, args } = serverCommand({ toolCount: 1 });
  const ways: readonly ((line: string, at: number) => Promise<void>)[] = [
    (line, at) => expectHarmless(rig, setup, `api-${at}`, { command: line, args: [] }),
    (line, at) => expectHarmless(rig, setup, `word-${at}`, { command: 'true', args: [line], cwd: setup.dataDir }),
    (line, at) => expectHarmless(rig, setup, `more-${at}`, { command, args: [...args, line], env: { X: line } }),
    async (line, at) => {
      await owner.call('add_server', { name: `door-${at}`, command: line });
      await operate(setup, setup.gateway.ownerToken, 'servers.remove', { name: `door-${at}` });
    },
    async (line) => {
      const spec = { command, args, cwd: line };
      await operate(setup, setup.gateway.ownerToken, 'servers.add', { name: 'folder', spec });
      await operate(setup, setup.gateway.ownerToken, 'servers.remove', { name: 'folder' });
    },
  ];
  let tried = 0;
  for (const [at, line] of lines.entries()) {
    for (const [number, way] of ways.entries()) {
      // In a quick examination each line goes one way, and each way gets two or three lines.
      if (rig.size === 'quick' && at % ways.length !== number) continue;
      await way(line, at);
      tried += 1;
    }
  }
  const [first = ''] = lines;
  const added = await runCommand(setup, ['add', 'typed', '--', first]);
  rig.expect(added.code !== 0, `"${first}" was added by the command line: ${added.printed.slice(0, 200)}`);
  await operate(setup, setup.gateway.ownerToken, 'servers.remove', { name: 'typed' });
  rig.figure('commands', tried + inFile + 1);
}

async function expectHarmless(rig: Rig, setup: Setup, name: string, spec: Dict): Promise<void> {
  const { status, text } = await operate(setup, setup.gateway.ownerToken, 'servers.add', { name, spec });
  rig.expect(status === 200 || (status >= 400 && status < 500), () => `${name}: ${status} ${text.slice(0, 200)}`);
  await operate(setup, setup.gateway.ownerToken, 'servers.remove', { name });
}

/** Only the owner can add a server, in every way that there is. */
async function strangers(rig: Rig, setup: Setup, lines: readonly string[]): Promise<void> {
  const spec = { command: 'sh', args: ['-c', lines[1] ?? ''] };
  const { agentToken, url } = setup.gateway;
  const replies: OperationReply[] = [
    await operate(setup, agentToken, 'servers.add', { name: 'stranger', spec }),
    await operate(setup, agentToken, 'servers.add', { name: 'stranger', spec, allowEnv: true }),
    await operate(setup, agentToken, 'servers.enable', { name: 'local' }),
    await operate(setup, agentToken, 'servers.remove', { name: 'local' }),
  ];
  for (const { status, text } of replies) rig.expect(status === 403, `An agent got ${status}: ${text.slice(0, 200)}`);
  const { status } = await operate(setup, 'tc_nobody', 'servers.add', { name: 'stranger', spec });
  rig.expect(status === 401, `Nobody got ${status}.`);
  for (const era of ERAS) {
    const agent = await setup.agent(era, { door: '/mcp?surface=full' });
    for (const name of ['add_server', 'gateway.add_server', 'toolcrib:add_server'])
      rig.expect((await agent.call(name, { name: 'stranger', ...spec })).isError, `${era}: an agent called ${name}.`);
  }
  const door = await knock(rig.history, url, {
    method: 'POST',
    path: '/gateway/mcp',
    headers: [['Authorization', `Bearer ${agentToken}`]],
    body: '{}',
  });
  rig.expect(door.status === 403 || door.status === 404, `An agent got ${door.status} at the owner's door.`);
  const known = await order(setup, 'servers.list', {});
  rig.expect(!known.some(({ name }) => name === 'stranger'), 'A server was added by somebody who may not.');
}

/** Variables that decide what runs: refused from everywhere but the owner's own file. */
async function variables(rig: Rig, setup: Setup, { folder, mark }: Stage): Promise<void> {
  const script = join(folder, 'required.cjs');
  writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(mark)}, 'ran');\n`);
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'node'), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  const sly: Readonly<Record<string, string>> = {
    NODE_OPTIONS: `--require ${script}`,
    node_options: `--require ${script}`,
    LD_PRELOAD: join(folder, 'evil.so'),
    LD_AUDIT: join(folder, 'evil.so'),
    PATH: join(folder, 'bin'),
    BASH_ENV: script,
    ENV: script,
    PYTHONSTARTUP: script,
    PERL5OPT: `-M${script}`,
    GIT_SSH_COMMAND: `touch ${mark}`,
    DYLD_INSERT_LIBRARIES: join(folder, 'evil.so'),
  };
  const { args } = serverCommand({ toolCount: 1 });
  const owner = await setup.agent('modern', { door: '/gateway/mcp', isOwner: true });
  for (const [name, value] of Object.entries(sly)) {
    const spec = { command: 'node', args, env: { [name]: value } };
    const { status, text } = await operate(setup, setup.gateway.ownerToken, 'servers.add', { name: 'sly', spec });
    rig.expect(status >= 400 && text.includes(name), () => `${name} by the API: ${status} ${text.slice(0, 200)}`);
    rig.expect(!text.includes(value), `${name} by the API: its value was repeated.`);
    const byDoor = await owner.call('add_server', { name: 'sly', ...spec });
    rig.expect(byDoor.isError, () => `${name} by the owner's door: ${byDoor.said.slice(0, 200)}`);
  }
  const typed = await runCommand(setup, ['add', 'sly', '--env', `NODE_OPTIONS=${sly.NODE_OPTIONS}`, '--', 'node']);
  rig.expect(typed.code !== 0, () => `NODE_OPTIONS by the command line: ${typed.printed.slice(0, 200)}`);
  rig.figure('variables', Object.keys(sly).length * 2 + 1);
  await expectTrap(rig, setup, folder);
}

/** Where the owner confirms it, the variable does what it does: the traps of this check would close. */
async function expectTrap(rig: Rig, setup: Setup, folder: string): Promise<void> {
  const [script, proof] = [join(folder, 'confirmed.cjs'), join(folder, 'confirmed')];
  writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(proof)}, 'ran');\n`);
  const { args } = serverCommand({ toolCount: 1 });
  const spec = { command: 'node', args, env: { NODE_OPTIONS: `--require ${script}` } };
  await order(setup, 'servers.add', { name: 'confirmed', spec, allowEnv: true });
  rig.expect(existsSync(proof), 'A variable that was confirmed had no effect, so that the refusals show nothing.');
  await order(setup, 'servers.remove', { name: 'confirmed' });
}

/** Data arrives as data: the same bytes, no other path, no further header. */
async function argumentsOfCalls(rig: Rig, setup: Setup, { mark }: Stage): Promise<void> {
  const texts = hostileArguments(mark);
  for (const era of ERAS) {
    const agent = await setup.agent(era);
    for (const text of texts) {
      for (const tool of ['sibling.echo', 'remote.echo']) {
        const { said } = await agent.call(tool, { text });
        rig.expect(said === text, () => `${era}: ${tool} was given ${JSON.stringify(text)} and said ${said}`);
      }
      const regional = await agent.call('remote.regional', { region: text });
      rig.expect(regional.isError || regional.said === text, () => `${era}: the region became ${regional.said}`);
      await agent.request({ id: agent.nextId(), method: 'resources/read', params: { uri: `test://${text}` } });
      await agent.request({
        id: agent.nextId(),
        method: 'prompts/get',
        params: { name: text, arguments: { a: text } },
      });
    }
  }
  const requests = setup.server('remote').noted('http');
  const paths = new Set(requests.map(({ path }) => path));
  rig.expect(paths.size === 1 && paths.has('/mcp'), `The server was asked at ${[...paths].join(', ')}.`);
  const headers = new Set(requests.flatMap((one) => Object.keys(one.headers as Dict)));
  rig.expect(
    ![...headers].some((name) => /evil/i.test(name)),
    `The server got the headers ${[...headers].join(', ')}.`,
  );
  rig.figure('arguments', texts.length * ERAS.length * 5);
}

/** Names of everything that has one; each is refused or made harmless. */
async function names(rig: Rig, setup: Setup, { word }: Stage): Promise<void> {
  const spec = { command: 'true' };
  const all = namesWithPaths(word);
  for (const name of all) {
    const inputs: readonly (readonly [string, unknown])[] = [
      ['servers.add', { name, spec }],
      ['tokens.create', { name }],
      ['projects.create', { name }],
      ['tokens.create', { name: `t-${rig.random.word('x')}`, project: name, servers: [name] }],
      ['tools.info', { toolKey: `local:${name}` }],
      ['tools.call', { toolKey: `${name}:${name}`, arguments: {} }],
      ['changes.list', { server: name, name }],
    ];
    for (const [operation, input] of inputs) {
      const { status, text } = await operate(setup, setup.gateway.ownerToken, operation, input);
      rig.expect(
        status < 500,
        () => `${operation} with ${JSON.stringify(name).slice(0, 80)}: ${status} ${text.slice(0, 200)}`,
      );
    }
  }
  const known = await order(setup, 'servers.list', {});
  const odd = known.filter(({ name }) => !/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name));
  rig.expect(odd.length === 0, `Servers are called ${odd.map(({ name }) => JSON.stringify(name)).join(', ')}.`);
  // Large results are files; whose tool it was must not be seen from their names.
  for (const era of ERAS) {
    const agent = await setup.agent(era);
    const listed = (await agent.tools()).filter((tool) => tool.startsWith('local.'));
    for (const tool of listed) await agent.call(tool, { bytes: 100_000 });
    rig.expect(
      listed.length > all.length / 2,
      `${era}: only ${listed.length} tools with such names are there to call.`,
    );
  }
  rig.figure('names', all.length);
}

/** Paths in the addresses that we serve ourselves. */
async function addresses(rig: Rig, setup: Setup, { word }: Stage): Promise<void> {
  const { url, ownerToken, agentToken } = setup.gateway;
  const climbs = ['..', '%2e%2e', '..%2f..', '..%5c..', '%2e%2e%2f%2e%2e%2fetc', `${word}%00`, '%252e%252e', '....//'];
  for (const climb of climbs) {
    for (const path of [`/servers/${climb}/mcp`, `/projects/${climb}/mcp`, `/${climb}/owner-token`, `/api/${climb}`]) {
      const headers = [['Authorization', `Bearer ${ownerToken}`]] as const;
      for (const method of ['GET', 'POST']) {
        const { status, body } = await knock(rig.history, url, { method, path, headers });
        rig.expect(status >= 400 && status < 500, `${method} ${path} got ${status}.`);
        rig.expect(!body.includes(ownerToken), `${method} ${path} gave the owner's token.`);
      }
    }
  }
  const files = ['owner-token', 'agent-token', 'toolcrib.json', 'secret-key', 'toolcrib.db'];
  for (const era of ERAS) {
    const agent = await setup.agent(era);
    for (const file of files) {
      const climbing = ['..', '../..', '%2e%2e', setup.dataDir, '.'].map(
        (start) => `toolcrib://result/${start}/${file}`,
      );
      for (const uri of [...climbing, `file://${setup.dataDir}/${file}`, `toolcrib://${file}`]) {
        const { text, message } = await agent.request({
          id: agent.nextId(),
          method: 'resources/read',
          params: { uri },
        });
        const isTold = [ownerToken, agentToken].some((token) => text.includes(token));
        rig.expect(message?.result === undefined && !isTold, () => `${era}: ${uri} was read: ${text.slice(0, 200)}`);
      }
    }
  }
}

function expectNothing(rig: Rig, setup: Setup, { mark, word }: Stage): void {
  rig.expect(!existsSync(mark), 'The marker file is there: something was run.');
  const inside = readdirSync(setup.dataDir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.includes(word),
  );
  rig.expect(inside.length === 0, `In the data folder there is ${inside.join(', ')}.`);
  const around = [dirname(setup.dataDir), dirname(dirname(setup.dataDir)), '/', '/etc', homedir(), process.cwd()];
  for (const folder of around) {
    const found = readdirSync(folder).filter((name) => name.includes(word));
    rig.expect(found.length === 0, `In ${folder} there is ${found.join(', ')}.`);
  }
}

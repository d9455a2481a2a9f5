/** `toolcrib install` and `uninstall`: the config files of agents before, with Toolcrib, and after it. */

import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AgentId, agentIds, agents, machineOf } from '../../src/agent-files/agent-files.ts';
import { ensureGateway } from '../../src/surfaces/cli/cli.ts';
import { connectAgent } from '../kit/agents.ts';
import { CliMachine } from '../kit/cli.ts';
import { freePort } from '../kit/postgres.ts';
import { startServer } from '../servers/launch.ts';

const fixtures = fileURLToPath(new URL('../fixtures/agents/', import.meta.url));
const killer = fileURLToPath(new URL('../kit/kill-at-change.ts', import.meta.url));
const timeout = 300_000;
/** Of the steps at which a command is killed; all of them with --full. */
const stride = process.env.TOOLCRIB_TEST_FULL === '1' ? 1 : 3;

interface Row {
  readonly agent: AgentId;
  readonly file: string;
  readonly state: string;
  readonly transport: string;
  readonly surface: string;
  readonly moved: readonly string[];
  readonly change: readonly string[] | null;
}

interface Finding {
  readonly severity: string;
  readonly subject: string;
  readonly message: string;
}

interface TokenRow {
  readonly name: string;
  readonly surface: string | null;
}

/** With these files in its home. */
async function machineWith(files: Readonly<Record<string, string>>): Promise<CliMachine> {
  const machine = await CliMachine.make();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(machine.home, path)), { recursive: true });
    await writeFile(join(machine.home, path), text);
  }
  return machine;
}

async function tokensOf(machine: CliMachine): Promise<Record<string, string | null>> {
  const rows = (await machine.run('token', 'list', '--json')).json<TokenRow[]>();
  return Object.fromEntries(rows.slice(2).map(({ name, surface }) => [name, surface]));
}

/** The records and backups that are kept. */
async function kept(machine: CliMachine): Promise<string[]> {
  return (await readdir(join(machine.dataDir, 'agents')).catch(() => [])).toSorted();
}

async function run(machine: CliMachine, ...argv: readonly string[]): Promise<Row[]> {
  const done = await machine.run(...argv, '--json');
  assert.equal(done.code, 0, done.stderr);
  return done.json<Row[]>();
}

test('[GET-21] [GET-34] every agent gets Toolcrib in its own form with a token of its own, and has its file back byte for byte', {
  timeout,
}, async () => {
  await using machine = await CliMachine.make();
  const { home } = machine;
  const here = machineOf('linux', home, {}, home);
  const before = new Map<string, string>();
  for (const id of agentIds) {
    const name = (await readdir(join(fixtures, id))).find((file) => file.startsWith('user'));
    const path = agents[id].files.find(({ scope }) => scope === 'user')?.path(here) ?? '';
    before.set(path, await readFile(join(fixtures, id, name ?? ''), 'utf8'));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, before.get(path) ?? '');
  }
  const gateway = await machine.start('--demo', '--port', String(await freePort()));
  const rows = await run(machine, 'install', ...agentIds, '--yes');
  assert.deepEqual(
    rows.map(({ agent, state }) => [agent, state]),
    agentIds.map((id) => [id, 'installed']),
  );
  assert.deepEqual(new Set(rows.map(({ file }) => file)), new Set(before.keys()));
  const direct = ['claude-code', 'vscode'];
  const surfaces = Object.fromEntries(agentIds.map((id) => [id, direct.includes(id) ? 'direct' : 'search']));
  assert.deepEqual(await tokensOf(machine), surfaces);
  const texts = await Promise.all(rows.map(({ file }) => readFile(file, 'utf8')));
  const tokens = texts.map((text) => /tc_[\w-]+/.exec(text)?.[0]);
  assert.equal(new Set(tokens).size, agentIds.length);
  for (const [at, { transport }] of rows.entries()) {
    const way = transport === 'http' ? `${gateway.url}/mcp` : 'stdio';
    assert.ok(texts[at]?.includes(way), way);
  }
  assert.deepEqual(
    rows.filter(({ transport }) => transport === 'stdio').map(({ agent }) => agent),
    ['claude-desktop'],
  );
  for (const file of await kept(machine))
    assert.equal((await stat(join(machine.dataDir, 'agents', file))).mode & 0o777, 0o600, file);

  const headersOf = (token: string | undefined) => ({ Authorization: `Bearer ${token}` });
  for (const [at, id] of agentIds.entries()) {
    await using agent = await connectAgent('v1', `${gateway.url}/mcp`, { headers: headersOf(tokens[at]) });
    const names = (await agent.client.listTools()).tools.map(({ name }) => name);
    assert.ok(names.length > 0);
    if (!direct.includes(id)) for (const name of names) assert.match(name, /^\w+$/, id);
  }
  const headers = headersOf(tokens[0]);
  const undone = await machine.run('uninstall', ...agentIds);
  assert.equal(undone.code, 0, undone.stderr);
  for (const [path, text] of before) assert.equal(await readFile(path, 'utf8'), text, path);
  await assert.rejects(connectAgent('v1', `${gateway.url}/mcp`, { headers }), /A valid token is needed/);
  assert.deepEqual(await tokensOf(machine), {});
  assert.deepEqual(await kept(machine), []);
});

const cursorFile = '.cursor/mcp.json';

test('[GET-32] a gateway on another port than its own is reached over stdio, and the output says why', {
  timeout,
}, async () => {
  await using other = await startServer({});
  const { port } = new URL(other.url);
  await using machine = await machineWith({ 'data/toolcrib.json': `{ "listen": { "port": ${port} } }` });
  const { dataDir } = machine;
  // The port that the config names is taken.
  const { url } = await ensureGateway({ dataDir, env: { PATH: process.env.PATH, HOME: machine.home } });
  try {
    assert.notEqual(new URL(url).port, port);
    assert.match((await machine.run('status')).stdout, /\(another port at the next start\)/);
    const done = await machine.run('install', 'cursor');
    assert.match(done.stdout, /over stdio, .*\n(.*\n)*.*The port of the gateway changes with each start/);
    assert.match(await readFile(join(machine.home, cursorFile), 'utf8'), /"stdio"/);
    const [ordered] = await run(machine, 'install', 'cursor', '--transport', 'http');
    assert.equal(ordered?.transport, 'http');
    assert.match(await readFile(join(machine.home, cursorFile), 'utf8'), new RegExp(`"${url}/mcp"`));
    const [again] = await run(machine, 'install', 'cursor', 'claude-desktop');
    assert.equal(again?.transport, 'stdio', 'an old address gives way too');
  } finally {
    await machine.run('stop');
  }
});

test('[GET-33] doctor names an agent that connects to an address of before, until install mends it', {
  timeout,
}, async () => {
  const config = (port: number) => JSON.stringify({ listen: { port } });
  const [before, now] = [await freePort(), await freePort()];
  await using machine = await machineWith({ 'data/toolcrib.json': config(before) });
  const findings = async () => {
    const { findings } = (await machine.run('doctor', '--json')).json<{ findings: Finding[] }>();
    return findings.filter(({ subject }) => subject === 'agents').map(({ severity, message }) => [severity, message]);
  };
  await run(machine, 'install', 'cursor', 'claude-desktop');
  const right = (port: number) => [['ok', `Cursor connects to http://127.0.0.1:${port}.`]];
  const wrong = (gateway: string) => [
    ['problem', `Cursor connects to http://127.0.0.1:${before}, but the gateway ${gateway}.`],
  ];
  assert.deepEqual(await findings(), right(before), 'the one over stdio finds the gateway by itself');

  await writeFile(join(machine.dataDir, 'toolcrib.json'), config(0));
  assert.deepEqual(await findings(), wrong('takes any free port'));
  await writeFile(join(machine.dataDir, 'toolcrib.json'), config(now));
  assert.deepEqual(await findings(), wrong(`listens at http://127.0.0.1:${now}`));
  const { code, stdout } = await machine.run('doctor');
  assert.equal(code, 1);
  assert.match(stdout, /install cursor$/m);
  await run(machine, 'install', 'cursor');
  assert.deepEqual(await findings(), right(now));

  const gateway = await machine.start();
  assert.deepEqual(await findings(), [
    ['problem', `Cursor connects to http://127.0.0.1:${now}, but the gateway listens at ${gateway.url}.`],
  ]);
  const file = join(machine.home, cursorFile);
  await writeFile(file, (await readFile(file, 'utf8')).replace(`http://127.0.0.1:${now}`, 'https://tools.example.com'));
  assert.deepEqual(await findings(), [], 'somebody leads it over another machine');
});

test('[GET-24] a file of project scope holds no token: it starts the bridge, with the surface of the agent', {
  timeout,
}, async () => {
  await using machine = await machineWith({ '.vscode/mcp.json': '{\n  "servers": {}\n}\n' });
  await run(machine, 'install', 'vscode', 'codex', '--scope', 'project');
  const files = { '.vscode/mcp.json': 'direct', '.codex/config.toml': 'search' };
  for (const [path, surface] of Object.entries(files)) {
    const text = await readFile(join(machine.home, path), 'utf8');
    assert.doesNotMatch(text, /tc_/, path);
    assert.match(text, /stdio/, path);
    assert.match(text, new RegExp(`TOOLCRIB_SURFACE.*${surface}`), path);
  }
  assert.deepEqual(await tokensOf(machine), {});
  const refused = await machine.run('install', 'vscode', '--scope', 'project', '--transport', 'http');
  assert.match(refused.stderr, /can't connect over HTTP: a file of project scope holds no token/);
  const without = await machine.run('install', 'lmstudio', '--scope', 'project');
  assert.equal(without.code, 2);
  assert.match(without.stderr, /LM Studio has no config file of project scope.*\nhint: .*cursor/);
  await machine.run('uninstall', 'vscode', 'codex');
  assert.equal(await readFile(join(machine.home, '.vscode/mcp.json'), 'utf8'), '{\n  "servers": {}\n}\n');
  assert.deepEqual(await readdir(join(machine.home, '.codex')), [], 'it was made for this');
});

test('[GET-25] install twice is install once; an entry of somebody else is replaced only when asked for, and comes back', {
  timeout,
}, async () => {
  const entry = { url: 'https://theirs.example', headers: { 'X-Auth': 'open"sesame' } };
  const theirs = JSON.stringify({ mcpServers: { toolcrib: entry } });
  await using machine = await machineWith({ [cursorFile]: theirs });
  const path = join(machine.home, cursorFile);
  const refused = await machine.run('install', 'cursor', 'gemini');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /mcp\.json has an entry "toolcrib".*\nhint: .*--yes/);
  assert.match(refused.stdout, /Gemini CLI uses Toolcrib/, 'trouble with one agent does not keep others from it');
  assert.equal(await readFile(path, 'utf8'), theirs);

  await run(machine, 'install', 'cursor', '--yes');
  const first = await readFile(path, 'utf8');
  const [again] = await run(machine, 'install', 'cursor');
  assert.equal(again?.state, 'unchanged');
  assert.equal(await readFile(path, 'utf8'), first);
  await machine.run('token', 'revoke', 'cursor');
  const [renewed] = await run(machine, 'install', 'cursor');
  assert.equal(renewed?.state, 'installed');
  const second = await readFile(path, 'utf8');
  assert.notEqual(second, first);
  assert.equal(second.replace(/tc_[\w-]+/, ''), first.replace(/tc_[\w-]+/, ''));
  const [moved] = await run(machine, 'install', 'cursor', '--transport', 'stdio');
  assert.equal(moved?.transport, 'stdio');
  assert.deepEqual(Object.keys(await tokensOf(machine)).toSorted(), ['cursor-2', 'gemini']);
  const dry = await machine.run('uninstall', 'cursor', '--dry-run');
  assert.match(dry.stdout, /^\+ .*theirs\.example.*\*\*\*/m);
  assert.doesNotMatch(dry.stdout, /sesame|tc_/);
  await machine.run('uninstall', 'cursor', 'gemini');
  assert.equal(await readFile(path, 'utf8'), theirs);
  const absent = await machine.run('uninstall', 'cursor');
  assert.equal(absent.code, 0);
  assert.match(absent.stdout, /Toolcrib is not installed in Cursor/);
});

test('[GET-25] after the data folder was deleted, the dead entry is known as ours: install replaces it, uninstall --all removes it', {
  timeout,
}, async () => {
  const mine = '{ "mcpServers": { "mine": { "command": "mine" } } }';
  await using machine = await machineWith({ [cursorFile]: mine });
  const path = join(machine.home, cursorFile);
  const codex = join(machine.home, '.codex/config.toml');
  await run(machine, 'install', 'cursor', '--transport', 'stdio');
  await run(machine, 'install', 'codex');
  const dead = await readFile(path, 'utf8');
  await rm(machine.dataDir, { recursive: true });

  const [again] = await run(machine, 'install', 'cursor');
  assert.deepEqual([again?.state, again?.transport], ['installed', 'stdio'], 'the transport stays');
  assert.notEqual(await readFile(path, 'utf8'), dead, 'it has a living token');
  assert.deepEqual(await run(machine, 'uninstall', 'cursor'), [
    {
      agent: 'cursor',
      scope: 'user',
      file: path,
      isFileGone: false,
      putBack: [],
      left: [],
      backup: null,
      change: null,
    },
  ]);
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), JSON.parse(mine));

  await writeFile(path, dead);
  const both = await run(machine, 'uninstall', '--all');
  assert.deepEqual(
    both.map(({ agent }) => agent),
    ['cursor', 'codex'],
  );
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), JSON.parse(mine));
  assert.doesNotMatch(await readFile(codex, 'utf8'), /toolcrib/);
  assert.match((await machine.run('uninstall', '--all')).stdout, /not installed in any agent/);
  assert.match((await machine.run('uninstall')).stderr, /Name one or more agents, or use --all/);
});

test('[GET-30] an agent keeps its token until the file has the new one, in a file that its owner alone can read', {
  timeout,
}, async () => {
  await using machine = await machineWith({ [cursorFile]: '{}' });
  const path = join(machine.home, cursorFile);
  await chmod(path, 0o644);
  await run(machine, 'install', 'cursor');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const [text, records] = [await readFile(path, 'utf8'), await kept(machine)];
  await chmod(path, 0o400);
  const refused = await machine.run('install', 'cursor', '--transport', 'stdio');
  assert.match(refused.stderr, /mcp\.json is read-only/);
  assert.deepEqual(Object.keys(await tokensOf(machine)), ['cursor']);
  assert.equal(await readFile(path, 'utf8'), text);
  assert.deepEqual(await kept(machine), records);
  await chmod(path, 0o600);
  assert.equal((await run(machine, 'install', 'cursor'))[0]?.state, 'unchanged');
  await machine.run('uninstall', 'cursor');
  assert.equal(await readFile(path, 'utf8'), '{}');
});

test('[GET-31] uninstall leaves entries that were written since, says so, and keeps the backup with the old ones', {
  timeout,
}, async () => {
  const theirs = JSON.stringify({ mcpServers: { toolcrib: { url: 'https://theirs.example' } } });
  const elsewhere = theirs.replace('theirs', 'elsewhere');
  await using machine = await machineWith({ [cursorFile]: theirs });
  const path = join(machine.home, cursorFile);
  await run(machine, 'install', 'cursor', '--yes');
  await writeFile(path, elsewhere);
  const again = await machine.run('install', 'cursor');
  assert.match(again.stderr, /has an entry "toolcrib" that this command did not write/);
  const undone = await machine.run('uninstall', 'cursor');
  assert.match(undone.stdout, /keeps its entry "toolcrib", which was changed and leads elsewhere\. The old/);
  assert.doesNotMatch(undone.stdout, /Put back/);
  assert.equal(await readFile(path, 'utf8'), elsewhere);
  const [copy = '', ...others] = await kept(machine);
  assert.deepEqual(others, []);
  assert.ok(undone.stdout.includes(copy));
  assert.equal(await readFile(join(machine.dataDir, 'agents', copy), 'utf8'), theirs);
  assert.deepEqual(await tokensOf(machine), {});
});

test('[GET-26] servers that Toolcrib has are moved out and come back, and their secrets are only in the file and its backup', {
  timeout,
}, async () => {
  const secret = `canary-${process.pid}-opensesame`;
  await using server = await startServer({ bearer: secret });
  const entries = {
    own: { url: server.url, headers: { Authorization: `Bearer ${secret}` } },
    other: { command: 'not-imported' },
  };
  const text = `// mine\n${JSON.stringify({ mcpServers: entries }, null, 4)}\n`;
  const config = JSON.stringify({ access: { keyring: 'off' } });
  await using machine = await machineWith({ [cursorFile]: text, 'data/toolcrib.json': config });
  const path = join(machine.home, cursorFile);
  await machine.run('import', '--from', 'cursor', '--yes');
  await machine.run('remove', 'other', '--yes');
  const dry = await machine.run('install', 'cursor', '--move', '--dry-run');
  assert.match(dry.stdout, /^- +"own": \{$/m);
  assert.match(dry.stdout, /^\+ +"toolcrib": \{$/m);
  assert.doesNotMatch(dry.stdout, /canary|tc_/);
  assert.equal(await readFile(path, 'utf8'), text);
  assert.deepEqual(await kept(machine), []);

  const [row] = await run(machine, 'install', 'cursor', '--move');
  assert.deepEqual(row?.moved, ['own']);
  assert.doesNotMatch(await readFile(path, 'utf8'), /canary/);
  const holders = [];
  for (const name of await readdir(machine.dataDir, { recursive: true })) {
    const bytes = await readFile(join(machine.dataDir, name), 'latin1').catch(() => '');
    if (bytes.includes(secret)) holders.push(name.replace(/-\w+\./, '.'));
  }
  assert.deepEqual(holders, ['agents/cursor.backup']);

  const edited = (await readFile(path, 'utf8')).replace('// mine', '// mine, edited');
  await writeFile(path, edited);
  const undone = await machine.run('uninstall', 'cursor');
  assert.match(undone.stdout, /Put back: own\./);
  const restored = await readFile(path, 'utf8');
  assert.match(restored, /^\/\/ mine, edited$/m);
  assert.deepEqual(JSON.parse(restored.replace(/^.*\n/, '')), { mcpServers: entries });
  assert.deepEqual(await kept(machine), []);
});

test('[GET-29] two installs of one agent at once are one after the other, and nothing that was moved is lost', {
  timeout,
}, async () => {
  await using server = await startServer({});
  const text = JSON.stringify({ mcpServers: { own: { url: server.url } } });
  await using machine = await machineWith({ [cursorFile]: text });
  await machine.start();
  await machine.run('import', '--from', 'cursor', '--yes');
  const both = await Promise.all([1, 2].map(() => run(machine, 'install', 'cursor', '--move')));
  assert.deepEqual(both.map(([row]) => row?.state).toSorted(), ['installed', 'unchanged']);
  assert.deepEqual(Object.keys(await tokensOf(machine)), ['cursor']);
  await machine.run('uninstall', 'cursor');
  assert.equal(await readFile(join(machine.home, cursorFile), 'utf8'), text);
});

for (const command of ['install', 'uninstall'] as const) {
  test(`[GET-27] ${command} that is killed at any step leaves the old file or the new one, and can be repeated`, {
    timeout,
  }, async () => {
    const text = '{\n  "mcpServers": { "files": { "command": "files" } } // all\n}';
    await using machine = await machineWith({ [cursorFile]: text });
    const path = join(machine.home, cursorFile);
    const env = { KILL_BELOW: [join(machine.dataDir, 'agents'), dirname(path)].join('\n') };
    let steps = 0;
    for (let isKilled = true; isKilled; steps += stride) {
      if (command === 'uninstall') await run(machine, 'install', 'cursor');
      const options = { node: ['--import', killer], env: { ...env, KILL_AT: String(steps + 1) } };
      const { code, stderr } = await machine.spawn([command, 'cursor'], options).ended;
      isKilled = code === null;
      assert.ok(isKilled || code === 0, stderr);
      const now = await readFile(path, 'utf8');
      const shown = now.replace(/,\s+"toolcrib": \{.*?\}\s*\}(?= \} \/\/ all)/s, '');
      assert.equal(shown, text, `after ${steps} steps`);
      if (command === 'install') await run(machine, 'install', 'cursor');
      assert.equal((await machine.run('uninstall', 'cursor')).code, 0);
      assert.equal(await readFile(path, 'utf8'), text);
      assert.deepEqual(await kept(machine), []);
      assert.deepEqual(await readdir(dirname(path)), ['mcp.json']);
      assert.deepEqual(await tokensOf(machine), {});
    }
    assert.ok(steps > 5, `${steps} steps were tried`);
  });
}

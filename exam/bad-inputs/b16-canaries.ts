/** B16: secrets in every place they can come from, along every path that fails, with a log that says all it can. */

import { startGate } from '../../test/kit/oauth-gate.ts';
import { startIssuer } from '../../test/kit/oauth-issuer.ts';
import { OtlpCollector } from '../../test/kit/otlp-collector.ts';
import { startServer } from '../../test/servers/launch.ts';
import type { Check } from '../check.ts';
import { type Dict, ERAS } from '../kit/agent-requests.ts';
import { expectNotIn, expectNotKept, letWrite, type Planted, plant, signInTo } from '../kit/canary-search.ts';
import { runCommand } from '../kit/command-line.ts';
import { knock } from '../kit/knock.ts';
import { makeToken, operate, order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

/** Answers every request with an error that tells on its own environment. */
const tattling = `require('readline').createInterface(process.stdin).on('line', (line) => {
  const { id } = JSON.parse(line);
  const error = { code: -32000, message: 'my key is ' + process.env.PLAIN_SETTING, data: process.env };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error }));
})`;
/** Variables that a process needs to run at all, and our mark on it. */
const safeVariables =
  /^(?:HOME|LANG|LC_\w+|LOGNAME|PATH|SHELL|TERM|TMPDIR|TZ|USER|XDG_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|\w+_PROXY|\w+_proxy|TOOLCRIB_\w*MARK\w*)$/;

export const canaries: Check = {
  id: 'B16',
  kind: 'bad inputs',
  title: 'Canaries along every path that fails, log level debug',
  passes:
    'no canary in the log, the files, errors, what the owner is shown, metrics, traces, exports or other processes',
  eras: ERAS,
  isAboutStore: true,
  async run(rig) {
    const planted = plant(
      rig.random,
      ...([
        'gateway',
        'env',
        'header',
        'query',
        'user',
        'flag',
        'stored',
        'stderr',
        'told',
        'argument',
        'file',
      ] as const),
    );
    await using issuer = await startIssuer({ scopes: 'notes:read' });
    await using behind = await startServer({});
    await using gate = await startGate({ upstream: behind.url, issuer: () => issuer, scope: 'notes:read' });
    await using closed = await startServer({ bearer: 'another' });
    await using collector = await OtlpCollector.open();
    const setup = await rig.open({
      servers: {
        noisy: {
          modes: { stderrNoise: { secretEnv: 'PLAIN_SETTING' } },
          entry: { env: { PLAIN_SETTING: planted.stderr, API_TOKEN: planted.env } },
        },
      },
      config: {
        connect: { maxRetries: 0, timeoutMs: 5_000 },
        access: { privateHosts: ['127.0.0.1'], keyring: 'off' },
        telemetry: { otlpUrl: collector.url, intervalMs: 100 },
      },
      env: { UNRELATED_SECRET: planted.gateway, SOME_API_KEY: planted.gateway },
      configText: (config) => JSON.stringify(withBroken(config as Dict, planted, closed.url, gate.url)),
    });
    await rig.part('signing in', () => signInTo(setup, 'gated'));
    const tokens = await secretsOf(rig, setup, gate.seen);
    const all = { ...planted, ...tokens };
    const said: string[] = [];
    await rig.part('owner', () => byOwner(setup, planted, said));
    await rig.part('agents', () => byAgents(rig, setup, all));
    await rig.part('strangers', () => byStrangers(rig, setup, all));
    await rig.part('children', () => inChildren(rig, setup));
    const shown = said.join('\n');
    rig.expect(/my key is \*\*\*/.test(shown), 'Nothing was masked, so that nothing was examined.');
    // The owner sees what he wrote down himself only where he asks for it, and that is nowhere here.
    expectNotIn(rig, 'what the owner is shown', shown, all);
    await rig.part('command line', () => byCommands(rig, setup, all));
    const page = await knock(rig.history, setup.gateway.url, {
      path: '/metrics',
      headers: [['Authorization', `Bearer ${setup.gateway.ownerToken}`]],
    });
    rig.expect(page.body.includes('server="tattler"'), 'The metrics lack the servers that failed.');
    expectNotIn(rig, 'the metrics', page.body, all);
    await letWrite();
    rig.expect(
      collector.text.includes('tattler') && collector.spans.length > 0,
      'No trace names a server that failed.',
    );
    expectNotIn(rig, 'traces and exported metrics', collector.text, all);
    expectNotIn(rig, 'the log', setup.gateway.log(), all);
    rig.figure('files', await expectNotKept(rig, setup, all, 'while it runs'));
    rig.figure('canaries', Object.keys(all).length);
    rig.expect(setup.gateway.log().includes('"level":"debug"'), 'The log has nothing of level debug.');
  },
};

/** Servers that fail, each in its own way, with secrets wherever a server can have one. */
function withBroken(config: Dict, planted: Planted, closedUrl: string, gateUrl: string): Dict {
  const { host } = new URL(closedUrl);
  const broken = {
    missing: { command: 'no-such-program', args: ['--api-key', planted.flag], env: { KEY: planted.env } },
    dying: { command: process.execPath, args: ['-e', 'throw new Error(process.env.KEY)'], env: { KEY: planted.env } },
    tattler: { command: process.execPath, args: ['-e', tattling], env: { PLAIN_SETTING: planted.told } },
    closed: {
      url: `${closedUrl}?api_key=${planted.query}`,
      headers: { Authorization: `Bearer ${planted.header}`, 'X-Own': planted.header },
    },
    nowhere: { url: `http://127.0.0.1:9/mcp?token=${planted.query}`, headers: { Cookie: `id=${planted.header}` } },
    elsewhere: { url: `http://${host}/nothing?sig=${planted.query}`, headers: { 'X-Api-Key': planted.header } },
    gated: { url: gateUrl },
  };
  return { ...config, mcpServers: { ...(config.mcpServers as Dict), ...broken } };
}

/** Secrets that nobody planted: tokens of the gateway, and those it got by signing in. */
async function secretsOf(rig: Rig, setup: Setup, seen: readonly (string | undefined)[]): Promise<Planted> {
  const bearers = [...new Set(seen)].flatMap((header) => header?.replace('Bearer ', '') ?? []);
  rig.expect(bearers.length > 0, 'The server that wants a sign-in was never given a token.');
  const { agentToken: _own, ownerToken: __ } = setup.gateway;
  const made = await makeToken(setup, 'swept');
  return { made, ...Object.fromEntries(bearers.map((token, at) => [`signed-in-${at}`, token])) };
}

async function byOwner(setup: Setup, planted: Planted, said: string[]): Promise<void> {
  const ask = async (name: string, input: unknown) => {
    said.push((await operate(setup, setup.gateway.ownerToken, name, input)).text);
  };
  const stored = { command: 'no-such-program', args: ['--token', planted.stored], env: { SOME_KEY: planted.stored } };
  await ask('servers.add', { name: 'stored', spec: stored });
  await ask('servers.add', { name: 'stored', spec: stored });
  await ask('servers.add', { name: 'odd', spec: { ...stored, comand: planted.stored } });
  await ask('servers.add', {
    name: 'userinfo',
    spec: { url: `https://${planted.user}:${planted.user}@127.0.0.1:9/mcp` },
  });
  await ask('servers.add', {
    name: 'headers',
    spec: { url: 'http://127.0.0.1:9/', headers: { 'X\n': planted.header } },
  });
  const names = ['missing', 'dying', 'tattler', 'closed', 'nowhere', 'elsewhere', 'stored', 'noisy', 'gated'];
  for (const name of names) {
    await ask('servers.refresh', { name, force: true, once: true });
    await ask('servers.output', { name });
    await ask('servers.signIn', { name });
    await ask('tools.call', { toolKey: `${name}:none`, arguments: { password: planted.argument } });
  }
  const questions = ['servers.list', 'metrics.tools', 'gateway.status', 'gateway.doctor', 'audit.list', 'changes.list'];
  for (const name of [
    ...questions,
    'tokens.list',
    'projects.list',
    'approvals.list',
    'servers.signIns',
    'search.status',
  ])
    await ask(name, {});
  await ask('no.such.operation', { secret: planted.argument });
  await ask('servers.add', { name: 'no-object', spec: planted.argument });
}

/** A tool's own answer is nobody's to alter; everything that we say ourselves is looked at. */
async function byAgents(rig: Rig, setup: Setup, planted: Planted): Promise<void> {
  for (const era of ERAS) {
    const agent = await setup.agent(era);
    const { argument, ...others } = planted;
    const failed = await agent.call('noisy.fail', { message: `it is ${argument}` });
    rig.expect(failed.text.includes(argument ?? ''), `${era}: the answer of a tool was altered.`);
    const replies = [
      await agent.call('noisy.echo', { txt: argument }),
      await agent.call('noisy.add', { a: argument, b: 1 }),
      await agent.call('noisy.crash', {}),
      await agent.call('missing.tool', { token: argument }),
      await agent.call('tattler.tool', {}),
      await agent.request({
        id: agent.nextId(),
        method: 'tools/call',
        params: { name: 'noisy.echo', arguments: argument },
      }),
      await agent.request({
        id: agent.nextId(),
        method: 'resources/read',
        params: { uri: `x://none?token=${argument}` },
      }),
      await agent.request({ id: agent.nextId(), method: 'tools/list' }),
      await agent.request({ id: agent.nextId(), method: 'prompts/get', params: { name: 'none' } }),
    ];
    for (const { text } of replies) expectNotIn(rig, `what a ${era} agent is told`, text, others);
  }
}

async function byStrangers(rig: Rig, setup: Setup, planted: Planted): Promise<void> {
  const word = planted.argument ?? '';
  const tries = [
    { path: `/mcp?token=${word}`, headers: [['Authorization', `Bearer ${word}`]] },
    { path: `/api/${word}`, headers: [['Authorization', `Basic ${Buffer.from(word).toString('base64')}`]] },
    {
      path: `/sign-in?code=${word}`,
      headers: [
        ['Origin', setup.gateway.url],
        ['Content-Type', 'application/json'],
      ],
      body: `{"code":"${word}"}`,
    },
    { path: `/oauth/callback?code=${word}&state=${word}`, headers: [] },
    { path: '/mcp', headers: [['Authorization', `Bearer ${setup.gateway.agentToken}`]], body: `{"password":"${word}"` },
  ] as const;
  for (const { path, headers, ...rest } of tries) {
    const body = 'body' in rest ? rest.body : '';
    const answer = await knock(rig.history, setup.gateway.url, { method: body ? 'POST' : 'GET', path, headers, body });
    expectNotIn(rig, `the answer to ${path.slice(0, 20)}`, `${answer.head}${answer.body}`, planted);
  }
}

/** A server sees what was declared for it and a few variables that are safe. */
async function inChildren(rig: Rig, setup: Setup): Promise<void> {
  const agent = await setup.agent('modern');
  const { said } = await agent.call('noisy.env');
  const names = JSON.parse(said) as string[];
  const others = names.filter((name) => name !== 'PLAIN_SETTING' && name !== 'API_TOKEN' && !safeVariables.test(name));
  rig.expect(others.length === 0, `A server has ${others.join(', ')} in its environment.`);
  rig.expect(names.includes('PLAIN_SETTING'), 'A server lacks what was declared for it.');
}

async function byCommands(rig: Rig, setup: Setup, planted: Planted): Promise<void> {
  await order(setup, 'servers.refresh', { name: 'noisy' });
  const commands = [
    ['list'],
    ['audit', '--limit', '1000'],
    ['doctor'],
    ['metrics'],
    ['changes'],
    ['token', 'list'],
    ['auth'],
  ];
  for (const command of commands) {
    const { printed, code } = await runCommand(setup, [...command, '--json']);
    rig.expect(
      code === 0 || command[0] === 'doctor',
      () => `${command.join(' ')} ended with ${code}: ${printed.slice(0, 200)}`,
    );
    expectNotIn(rig, `toolcrib ${command.join(' ')}`, printed, planted);
  }
}

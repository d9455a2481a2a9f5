/**
 * A real nginx (`apt install nginx-light`) with docs/balancers/nginx.conf in front of two gateways on one PostgreSQL database, with agents
 * of both eras. Checks that streams are not held back, that sessions work, that long calls are not cut, and that agents go on
 * when a gateway is killed. Builds docs/balancers/kubernetes with a real kubectl before that. Exits with 1 when a check fails.
 *
 *   npm run real:balancers [-- --seconds 65]     how long the long calls take; nginx by itself would cut them after 60
 */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { askModern, type EventReader, openModernStream, type RawAnswer, RawSession } from '../kit/hand-made.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { freePort, TestPostgres } from '../kit/postgres.ts';
import { allGone, eventually } from '../kit/processes.ts';
import { sharedKey } from '../kit/replicas.ts';
import { bearer } from '../kit/tokens.ts';
import { Checks } from './kit/checks.ts';
import { type GatewayProcess, startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { openScratch } from './kit/scratch.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '65' } } });
const longMs = 1_000 * Number(values.seconds);
const host = 'tools.example.com';
/** Of agents with a token each, some at either gateway. */
const agentCount = 8;
/** Calls of each agent before a gateway is killed, and from then on. */
const [roundsBefore, roundsAfter] = [5, 20];
/** Between two reports of progress, and the part of it that must be left when they arrive one by one. */
const stepMs = 2_000;
const leastGapMs = 500;

const checks = new Checks();
checks.section('Kubernetes');
await checks.that('kubectl builds what the gateways need', checkKubernetes);

await using scratch = await openScratch();
const { servers } = hostServers({ shop: {} });
const { url } = await TestPostgres.start();
await using one = await startReplica('one');
await using other = await startReplica('other');
await using nginx = await startNginx([one, other]);
const door = `${nginx.url}/mcp?surface=direct`;
const agents: Record<string, string>[] = [];
for (let at = 0; at < agentCount; at += 1) {
  const { token } = await one.admin.run('tokens.create', { name: `agent-${at}` });
  agents.push({ ...bearer(token) });
}
const [headers = {}] = agents;

checks.section('nginx');
await checks.that('the gateways answer to the public name, and to no other', async () => {
  assert.deepEqual([await statusFor(host), await statusFor('other.example.com')], [200, 403]);
  return undefined;
});
await checks.that('a legacy session lists, calls, hears and ends', async () => {
  const session = await RawSession.open(door, headers);
  assert.equal((await session.request('tools/list')).status, 200);
  assert.equal(textOf(await session.request('tools/call', echo('legacy'))), 'legacy');
  assert.equal((await fetch(door, { method: 'DELETE', headers: session.headers })).status, 200);
  assert.equal((await session.request('tools/list')).status, 404);
  return undefined;
});
await checks.that('a modern agent lists and calls', async () => {
  assert.equal((await askModern(door, headers, 'tools/list')).status, 200);
  assert.equal(textOf(await askModern(door, headers, 'tools/call', echo('modern'))), 'modern');
  return undefined;
});

checks.section('Streams and long calls');
const stepping = { name: 'shop.progress', arguments: { steps: 2, delayMs: stepMs }, _meta: { progressToken: 'p' } };
const session = await RawSession.open(door, headers);
await Promise.all([
  checks.that('progress reaches a legacy agent when it is made', async () => {
    using stream = await session.stream('tools/call', stepping);
    return await arrivesInSteps(stream);
  }),
  checks.that(`a silent call of ${values.seconds} s is answered to a legacy agent`, async () =>
    textOf(await session.request('tools/call', { name: 'shop.slow', arguments: { ms: longMs } })),
  ),
  checks.that(`a silent call of ${values.seconds} s is answered to a modern agent`, async () =>
    textOf(await askModern(door, headers, 'tools/call', { name: 'shop.slow', arguments: { ms: longMs } })),
  ),
  checks.that(`a standing stream hears of a change after ${values.seconds} s`, async () => {
    using standing = await session.listen();
    using listening = await openModernStream(door, headers, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    await listening.message();
    await session.request('tools/call', { name: 'shop.slow', arguments: { ms: longMs } });
    const { servers: more } = hostServers({ more: {} });
    await other.admin.run('servers.add', { name: 'more', spec: more.more ?? {} });
    for (const stream of [standing, listening])
      assert.equal((await stream.message()).method, 'notifications/tools/list_changed');
    return undefined;
  }),
]);

checks.section('A gateway is killed');
const sessions = await Promise.all(agents.map((agent) => RawSession.open(door, agent)));
const answers = await answersAround(async () => {
  process.kill(one.pid, 'SIGKILL');
  await allGone([one.pid]);
});
await checks.that('calls of modern agents go on at the other', async () => {
  for (const agent of agents) assert.equal(textOf(await askModern(door, agent, 'tools/call', echo('on'))), 'on');
  return undefined;
});
await checks.that('a call that was lost with its gateway gets 502, in JSON, and no other call does', async () => {
  const lost = answers.filter(({ status }) => status !== 200);
  for (const { status, message } of lost) {
    assert.equal(status, 502);
    assert.match(message.error?.message ?? '', /may have been carried out/);
  }
  // By its log, nginx had begun to send each of them.
  const reasons = (await readFile(join(scratch.folder, 'nginx.log'), 'utf8')).split('\n');
  const sent = reasons.filter((line) =>
    /while (reading response header from|sending request to) upstream.*POST/.test(line),
  );
  assert.equal(lost.length, sent.length, reasons.join('\n'));
  assert.ok(!reasons.some((line) => line.includes('no live upstreams')), reasons.join('\n'));
  return `${lost.length} of ${answers.length} calls`;
});
await checks.that('a legacy agent goes on, or is asked to open another session', async () => {
  let opened = 0;
  for (const [at, old] of sessions.entries()) {
    // Until the killed one counts as gone, its sessions may still live.
    const answer = await eventually('an answer that is no 503', async () => {
      const said = await old.request('tools/call', echo('again'));
      return said.status === 503 ? undefined : said;
    });
    if (answer.status === 200) continue;
    assert.equal(answer.status, 404, JSON.stringify(answer.message));
    const fresh = await RawSession.open(door, agents[at] ?? {});
    assert.equal(textOf(await fresh.request('tools/call', echo('again'))), 'again');
    opened += 1;
  }
  assert.ok(opened > 0 && opened < sessions.length, `${opened} of ${sessions.length} sessions were lost`);
  return `${opened} of ${sessions.length} sessions were opened again`;
});
checks.finish();

/** Builds as `kubectl apply -k` would. */
async function checkKubernetes(): Promise<string> {
  const folder = join(import.meta.dirname, '../../docs/balancers/kubernetes');
  const { stdout } = await promisify(execFile)('kubectl', ['kustomize', folder]);
  const built = stdout.split(/^---$/m);
  const kinds = built.map((text) => /^kind: (\w+)$/m.exec(text)?.[1] ?? '');
  assert.deepEqual(kinds.toSorted(), ['ConfigMap', 'Deployment', 'Ingress', 'Service']);
  const find = (kind: string) => built[kinds.indexOf(kind)] ?? '';
  const name = /^ {2}name: (toolcrib-\w+)$/m.exec(find('ConfigMap'))?.[1];
  assert.ok(name !== undefined, 'the config has no name of its content');
  const deployment = find('Deployment');
  assert.match(deployment, /^ {2}replicas: 3$/m);
  assert.match(deployment, new RegExp(`configMap:\\s+name: ${name}$`, 'm'), 'another config is mounted');
  // Without it the others cannot reach a gateway that listens on every address.
  assert.match(find('ConfigMap'), /"advertise": "\$\{TOOLCRIB_ADVERTISE\}"/);
  assert.match(deployment, /name: TOOLCRIB_ADVERTISE\s+value: http:\/\/\$\(POD_IP\):3333$/m);
  return `${kinds.join(', ')}; config ${name}`;
}

/** The answers to modern agents that call without a rest, before and after something happens. */
async function answersAround(act: () => Promise<void>): Promise<RawAnswer[]> {
  const found: RawAnswer[] = [];
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round += 1)
      await Promise.all(
        agents.map(async (agent) => found.push(await askModern(door, agent, 'tools/call', echo('around')))),
      );
  };
  await rounds(roundsBefore);
  const going = rounds(roundsAfter);
  await act();
  await going;
  return found;
}

async function statusFor(name: string): Promise<number | undefined> {
  const [answer] = (await once(get(`${nginx.url}/readyz`, { headers: { host: name } }), 'response')) as [
    IncomingMessage,
  ];
  answer.resume();
  return answer.statusCode;
}

function echo(text: string) {
  return { name: 'shop.echo', arguments: { text } };
}

function textOf({ status, message }: RawAnswer): string {
  const { content, isError } = (message.result ?? {}) as { content?: { text?: string }[]; isError?: boolean };
  assert.ok(status === 200 && isError !== true, `${status} ${JSON.stringify(message)}`);
  return content?.[0]?.text ?? '';
}

async function arrivesInSteps(stream: EventReader): Promise<string> {
  assert.equal((await stream.message()).method, 'notifications/progress');
  const first = performance.now();
  while ((await stream.message()).result === undefined);
  const gapMs = performance.now() - first;
  assert.ok(gapMs > leastGapMs, `all came within ${Math.round(gapMs)} ms`);
  return `${Math.round(gapMs)} ms between the first report and the answer`;
}

async function startReplica(name: string): Promise<GatewayProcess> {
  const dataDir = join(scratch.folder, name);
  await mkdir(dataDir);
  const access = { allowedHosts: [host], trustedFrontEnds: ['127.0.0.1'] };
  const config = { store: { url }, access, calls: { timeoutMs: longMs + 60_000 } };
  const gateway = await startGatewayProcess({ dataDir, env: { ...scratch.env, ...sharedKey }, servers, config });
  await whenListed(gateway);
  return gateway;
}

/** The documented file, with the addresses of here, and without TLS. */
async function startNginx(gateways: readonly GatewayProcess[]): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort();
  const written = await readFile(join(import.meta.dirname, '../../docs/balancers/nginx.conf'), 'utf8');
  let config = written.replace('listen 443 ssl', `listen 127.0.0.1:${port}`).replaceAll(/^ *ssl_.*\n/gm, '');
  for (const [at, gateway] of gateways.entries())
    config = config.replace(`gateway-${at + 1}.internal:3333`, new URL(gateway.url).host);
  assert.ok(
    !/ssl|internal/.test(config.replaceAll(/#.*/g, '')),
    'nginx.conf no longer has the lines that are replaced',
  );
  const file = join(scratch.folder, 'nginx.conf');
  await writeFile(file, config);
  const directives = `daemon off; pid ${scratch.folder}/nginx.pid; error_log ${scratch.folder}/nginx.log;`;
  const child = spawn('nginx', ['-c', file, '-p', scratch.folder, '-g', directives], { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const at = `http://127.0.0.1:${port}`;
  await eventually('nginx answers', () =>
    fetch(`${at}/readyz`).then(
      ({ status }) => (status === 200 ? true : undefined),
      () => undefined,
    ),
  );
  return {
    url: at,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

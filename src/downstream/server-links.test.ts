/** Links to one server, with a clock that the test moves: when it is tried again, when it is left alone, how it heals. */

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { childrenOf, eventually } from '../../test/kit/processes.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { systemClock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { parseServer } from '../config/config.ts';
import { RpcError } from '../protocol/messages.ts';
import type { EraVerdict } from '../store/store.ts';
import type { Link, LinkRequest } from './link.ts';
import { type Judging, LinkGate, type LinksContext, ServerLinks } from './server-links.ts';
import { Guard } from './server-process.ts';

const connect = {
  lazy: true,
  preconnect: [],
  timeoutMs: 30_000,
  installTimeoutMs: 600_000,
  maxRetries: 3,
  idleMs: 0,
  roots: [],
};
const ping = { method: 'ping', timeoutMs: 5_000, agent: { capabilities: {} } } as const;
const choice = { era: 'modern' } as const;

function contextWith(more: Partial<LinksContext> = {}): LinksContext {
  const verdicts = new Map<string, EraVerdict>();
  return {
    guard: new Guard('test', silentLog),
    clock: new ManualClock(),
    runMark: 'test',
    env: process.env,
    privateHosts: () => [],
    connect,
    verdicts: {
      findVerdict: async (key) => verdicts.get(key),
      saveVerdict: async (verdict) => void verdicts.set(verdict.key, verdict),
      removeVerdict: async (key) => void verdicts.delete(key),
    },
    log: silentLog,
    random: () => 0.5,
    spool: testSpool(),
    ...more,
  };
}

const eventStream = { 'content-type': 'text/event-stream' };

/** A remote modern server that answers everything, or everything with one status; who listens hears nothing. */
class FarServer implements AsyncDisposable {
  readonly #http: Server;
  status = 200;
  headers: Record<string, string> = {};
  capabilities: Record<string, unknown> = {};
  requests = 0;

  constructor() {
    this.#http = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      this.requests += 1;
      if (this.status !== 200) return void response.writeHead(this.status, this.headers).end();
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string };
      if (method === 'subscriptions/listen') return void response.writeHead(200, eventStream).flushHeaders();
      const { capabilities } = this;
      const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

async function linksTo(far: FarServer, clock: ManualClock): Promise<ServerLinks> {
  const spec = parseServer('far', { url: await far.open() }, {}, 'file');
  return new ServerLinks(spec, contextWith({ clock }));
}

/** Moves the clock on step by step, as soon as something waits for that long. */
async function waitOut(clock: ManualClock, steps: readonly number[]): Promise<void> {
  for (const step of steps) {
    await clock.awaited(step);
    await clock.advance(step);
  }
}

test('[LINK-34] one try is four attempts with pauses of 1, 2 and 4 seconds; then the circuit is open', async () => {
  await using far = new FarServer();
  far.status = 500;
  const clock = new ManualClock();
  const links = await linksTo(far, clock);
  const told: (number | null)[] = [];
  links.changed.on(() => told.push(links.status.nextRetryAt));
  const first = assert.rejects(links.request(ping, choice), /"far" answered HTTP 500/);
  await clock.awaited(1_000);
  assert.deepEqual([links.status.state, links.status.nextRetryAt], ['connecting', clock.now() + 1_000]);
  assert.deepEqual(told, [null, clock.now() + 1_000]);
  await waitOut(clock, [1_000, 2_000, 4_000]);
  await first;
  assert.equal(far.requests, 4);
  assert.deepEqual([links.status.state, links.status.nextRetryAt], ['failed', clock.now() + 8_000]);
  await assert.rejects(links.request(ping, choice), {
    code: 'CIRCUIT_OPEN',
    message: /Toolcrib tries it again in 8 s/,
  });
  assert.equal(far.requests, 4, 'nobody is asked while it is open');
  await links.close();
});

test('[LINK-44] a hurried request ends the pause between two attempts, and then the open circuit', async () => {
  await using far = new FarServer();
  far.status = 500;
  const clock = new ManualClock();
  const links = await linksTo(far, clock);
  const first = assert.rejects(links.request(ping, choice));
  for (const pauseMs of [1_000, 2_000, 4_000]) {
    await clock.awaited(pauseMs);
    links.hurry();
  }
  await first;
  assert.equal(far.requests, 4);
  far.status = 200;
  assert.equal(links.status.nextRetryAt, clock.now() + 8_000);
  links.hurry();
  await links.request(ping, choice);
  assert.equal(links.status.state, 'connected');
  await links.close();
});

test('[LINK-35] it is tried by itself after 8, 16 and 30 seconds, once each, until it is back', async () => {
  await using far = new FarServer();
  far.status = 500;
  const clock = new ManualClock();
  const links = await linksTo(far, clock);
  const first = assert.rejects(links.request(ping, choice));
  await waitOut(clock, [1_000, 2_000, 4_000]);
  await first;
  for (const [at, openMs] of [8_000, 16_000, 30_000, 30_000].entries()) {
    await clock.awaited(openMs);
    await clock.advance(openMs);
    await clock.awaited([16_000, 30_000, 30_000, 30_000][at] ?? 0);
    assert.equal(far.requests, 5 + at);
  }
  far.status = 200;
  const connected = new Promise<void>((resolve) => {
    links.changed.on(() => links.status.state === 'connected' && resolve());
  });
  await clock.advance(30_000);
  await connected;
  assert.deepEqual([links.status.lastError, links.status.nextRetryAt], [null, null]);
  assert.ok(await links.request(ping, choice));
  await links.close();
});

test('[LINK-36] callers that come together share one attempt', async () => {
  await using far = new FarServer();
  const links = await linksTo(far, new ManualClock());
  await Promise.all(Array.from({ length: 20 }, () => links.request(ping, choice)));
  assert.equal(far.requests, 21, 'one handshake and twenty requests');
  await links.close();
});

test('a server whose stream breaks and that is then unreachable has failed', async () => {
  const far = new FarServer();
  far.capabilities = { tools: { listChanged: true } };
  const clock = new ManualClock();
  const links = await linksTo(far, clock);
  await links.request(ping, choice);
  await eventually('it is listened to', () => far.requests === 3 || undefined);
  const failed = new Promise<void>((resolve) => {
    links.changed.on(() => links.status.state === 'failed' && resolve());
  });
  await far[Symbol.asyncDispose]();
  await clock.awaited(1_000);
  await clock.advance(1_000);
  await failed;
  assert.equal(links.status.reason, 'unreachable');
  await links.close();
});

test('a failure that waiting cannot fix is not retried at once', async () => {
  for (const status of [401, 403, 308]) {
    await using far = new FarServer();
    far.status = status;
    const links = await linksTo(far, new ManualClock());
    await assert.rejects(links.request(ping, choice));
    assert.equal(far.requests, 1, `status ${status}`);
    await links.close();
  }
});

test('the wait that a busy server asks for is the time until the next try', async () => {
  await using far = new FarServer();
  far.status = 429;
  far.headers = { 'retry-after': '77' };
  const clock = new ManualClock();
  const links = await linksTo(far, clock);
  await assert.rejects(links.request(ping, choice), { code: 'RATE_LIMITED' });
  assert.equal(links.status.nextRetryAt, clock.now() + 77_000);
  await links.close();
});

test('closing does not wait for the pause between two attempts', async () => {
  await using far = new FarServer();
  far.status = 500;
  const clock = new ManualClock();
  const links = await linksTo(far, clock);
  const first = assert.rejects(links.request(ping, choice), /is being closed/);
  await clock.awaited(1_000);
  await links.close();
  await first;
  assert.equal(far.requests, 1);
});

test('[LINK-37] a server that dies between its handshake and its first use is started again', async () => {
  const answer = `process.stdin.once('data', (line) => {
    const { id, method } = JSON.parse(String(line).split('\\n')[0]);
    const result = { supportedVersions: ['2026-07-28'], capabilities: {} };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n', () => process.exit(0));
  });`;
  const spec = parseServer('mayfly', { command: process.execPath, args: ['-e', answer] }, {}, 'file');
  const base = contextWith({ clock: systemClock, connect: { ...connect, maxRetries: 0 } });
  const verdicts: LinksContext['verdicts'] = {
    ...base.verdicts,
    // The store is slow, as on a busy disk: meanwhile the server dies.
    saveVerdict: async () => {
      const isGone = () => childrenOf(process.pid).every((pid) => pid === base.guard.pid);
      await eventually('the server is gone', () => isGone() || undefined);
    },
  };
  const links = new ServerLinks(spec, { ...base, verdicts });
  await assert.rejects(links.request(ping, choice), { code: 'SERVER_DISCONNECTED' });
  assert.equal(links.status.state, 'failed', 'a dead link is not taken for a living one');
  assert.ok(links.status.nextRetryAt !== null);
  await links.close();
  base.guard.close();
});

test('a server that is closed while its era is looked up is not started', async () => {
  await using far = new FarServer();
  const spec = parseServer('far', { url: await far.open() }, {}, 'file');
  const looking = Promise.withResolvers<undefined>();
  const base = contextWith();
  const links = new ServerLinks(spec, { ...base, verdicts: { ...base.verdicts, findVerdict: () => looking.promise } });
  const request = assert.rejects(links.request(ping, choice), /is being closed/);
  await links.close();
  const states: string[] = [];
  links.changed.on(() => states.push(links.status.state));
  looking.resolve(undefined);
  await request;
  assert.deepEqual([states, far.requests], [[], 0], 'no attempt is begun');
});

test('a store that cannot be read costs a probe and no link', async () => {
  await using far = new FarServer();
  const spec = parseServer('far', { url: await far.open() }, {}, 'file');
  const base = contextWith();
  const findVerdict = () => Promise.reject(new Error('The disk is gone.'));
  const links = new ServerLinks(spec, { ...base, verdicts: { ...base.verdicts, findVerdict } });
  assert.ok(await links.request(ping, choice));
  await links.close();
});

test('while it is not known whether a server is back, one attempt is made for all sessions together', async () => {
  await using far = new FarServer();
  far.status = 403;
  const clock = new ManualClock();
  const spec = parseServer('far', { url: await far.open(), perSession: true }, {}, 'file');
  const links = new ServerLinks(spec, contextWith({ clock }));
  await assert.rejects(links.request(ping, { ...choice, session: 'first' }));
  assert.equal(far.requests, 1);
  await clock.advance(8_000);
  const sessions = Array.from({ length: 20 }, (_, at) => links.request(ping, { ...choice, session: `s${at}` }));
  const outcomes = await Promise.allSettled(sessions);
  assert.ok(outcomes.every(({ status }) => status === 'rejected'));
  assert.equal(far.requests, 2);
  await links.close();
});

test('the output of a server is read only on request', async () => {
  const spec = parseServer('loud', { command: process.execPath, args: ['-e', 'console.error("words")'] }, {}, 'file');
  const base = contextWith({ clock: systemClock, connect: { ...connect, maxRetries: 0 } });
  const links = new ServerLinks(spec, base);
  await assert.rejects(links.request(ping, choice));
  const { status } = links;
  assert.equal(typeof Object.getOwnPropertyDescriptor(status, 'stderr')?.get, 'function');
  // The process may have ended before its last words were read.
  await eventually('its words are there', () => /words/.test(status.stderr) || undefined);
  await links.close();
  base.guard.close();
});

// Nothing else of either is used.
const linkOf = (renewedAt: number) => ({ renewedAt }) as Link;
const requestOf = (more: Partial<LinkRequest> = {}) => ({ timeoutMs: 1_000, ...more }) as LinkRequest;

function gateWith(judging: (gate: LinkGate) => Judging | undefined) {
  const clock = new ManualClock();
  const gate: LinkGate = new LinkGate('harness', clock, () => judging(gate));
  return { clock, gate };
}

const codeOf = (promise: Promise<void>) =>
  promise.then(
    () => 'passed',
    (error: unknown) => (error instanceof GatewayError ? `${error.code} ${error.data?.isUnexecuted}` : error),
  );

test('a link that was open when a judged listing began is used at once', async () => {
  const { gate } = gateWith(() => () => assert.fail('Nobody is to be asked.'));
  gate.noteJudged(5);
  gate.noteJudged(3);
  const looks: number[] = [];
  await gate.pass(linkOf(5), requestOf({ recheck: () => looks.push(1) }));
  assert.deepEqual(looks, []);
});

test('a newer link waits for a listing that began after it, and the request is looked at again', async () => {
  const begun = [4, 7];
  const { gate } = gateWith((own) => async () => own.noteJudged(begun.shift() ?? 0));
  const looks: number[] = [];
  await gate.pass(linkOf(5), requestOf({ recheck: () => looks.push(1) }));
  assert.deepEqual([begun, looks], [[], [1]]);
  const stubborn = gateWith((own) => async () => own.noteJudged(1));
  assert.equal(await codeOf(stubborn.gate.pass(linkOf(5), requestOf())), 'SERVER_NOT_RUNNING true');
});

test('where the owner wants no waiting, or nobody judges, nothing waits', async () => {
  for (const judging of [undefined, () => undefined])
    await gateWith(() => judging).gate.pass(linkOf(5), requestOf({ recheck: () => assert.fail('Nothing waited.') }));
});

test('a server that cannot be listed is not called, and waiting ends with the time of the request or its agent', async () => {
  const broken = gateWith(() => async () => Promise.reject(new RpcError(-32603, 'The list is broken.')));
  assert.equal(await codeOf(broken.gate.pass(linkOf(5), requestOf())), 'SERVER_NOT_RUNNING true');
  const { clock, gate } = gateWith(() => () => new Promise(() => {}));
  const link = linkOf(5);
  const late = codeOf(gate.pass(link, requestOf()));
  assert.deepEqual([gate.holds(link), gate.holds(linkOf(5))], [true, false]);
  await clock.advance(1_000);
  assert.deepEqual([await late, gate.holds(link)], ['TIMEOUT true', false]);
  const leaving = new AbortController();
  const left = codeOf(gate.pass(linkOf(5), requestOf({ signal: leaving.signal })));
  leaving.abort('gone');
  assert.equal(await left, 'gone');
});

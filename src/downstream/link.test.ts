/** One link over a transport that the test plays: whose question it is, what hangs, what is given up, which era it is. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { GatewayError } from '../base/errors.ts';
import { limits } from '../config/config.ts';
import type { Result, RpcMessage, RpcRequest, RpcResult } from '../protocol/messages.ts';
import { LongValue, releaseLong, type Spool, SpoolMessage } from '../results/results.ts';
import { Link, type LinkOptions } from './link.ts';
import { isRefusedInitialize } from './link-trouble.ts';
import { Peer } from './peer.ts';
import type { SendOptions, Transport, TransportEvents } from './transport.ts';

type Message = Record<string, unknown> & { readonly id?: number; readonly method?: string };
type Reply = Record<string, unknown> | undefined;

/** Answers as `reply` says: a result, an error, or not at all. */
class PlayedTransport implements Transport {
  readonly kind: Transport['kind'];
  readonly sent: { readonly message: Message; readonly signal: AbortSignal | undefined }[] = [];
  readonly #reply: (message: Message) => Reply;
  events: TransportEvents | undefined;
  isClosed = false;

  constructor(reply: (message: Message) => Reply = () => undefined, kind: Transport['kind'] = 'stdio') {
    this.#reply = reply;
    this.kind = kind;
  }

  async open(events: TransportEvents): Promise<void> {
    this.events = events;
  }

  send(message: RpcMessage, options: SendOptions = {}): Promise<void> {
    const plain = message as unknown as Message;
    this.sent.push({ message: plain, signal: options.signal });
    if (plain.method === 'notifications/initialized' && this.#reply(plain)?.hang)
      return new Promise((_, reject) =>
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason), { once: true }),
      );
    const reply = this.#reply(plain);
    if (reply) queueMicrotask(() => this.say({ id: plain.id, ...reply }));
    return Promise.resolve();
  }

  say(message: Record<string, unknown>): void {
    this.events?.onMessage({ jsonrpc: '2.0', ...message } as unknown as RpcMessage, undefined);
  }

  methods(): (string | undefined)[] {
    return this.sent.map(({ message }) => message.method);
  }

  async settle(): Promise<void> {}

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const legacyHello = { result: { protocolVersion: '2025-11-25', capabilities: {} } };
const modernHello = {
  result: { supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } },
};

function optionsFor(transport: Transport, clock: ManualClock, more: Partial<LinkOptions> = {}): LinkOptions {
  const signal = new AbortController().signal;
  const rest = { capabilities: {}, roots: [], connectTimeoutMs: 30_000, installTimeoutMs: 600_000 };
  return { server: 'far', transport, clock, want: 'legacy', signal, ...rest, ...more };
}

function peerOn(transport: PlayedTransport, clock: ManualClock): Peer {
  const peer = new Peer('far', transport, clock, { onNotification: () => {}, onRequest: () => undefined });
  transport.events = { onMessage: (message, owner) => peer.receive(message, owner), onClose: () => {} };
  return peer;
}

const elicit = { id: 'q1', method: 'elicitation/create', params: { message: 'Whose?' } };
const call = { method: 'tools/call', params: { name: 'any' }, timeoutMs: 1_000 };

function callOf(principal: string, shown: string[]) {
  const onAsk = async (_ask: RpcRequest) => {
    shown.push(principal);
    return {};
  };
  return { ...call, principal, onAsk };
}

test('the question of a call that was given up is not shown to another principal, but to its own it may be', async () => {
  for (const [asker, isShown] of [
    ['ada', true],
    ['grace', false],
  ] as const) {
    const transport = new PlayedTransport();
    const clock = new ManualClock();
    const peer = peerOn(transport, clock);
    const shown: string[] = [];
    const late = assert.rejects(peer.request(callOf('ada', shown)), { code: 'TIMEOUT' });
    await clock.advance(1_000);
    await late;
    peer.request({ ...callOf(asker, shown), timeoutMs: 3_600_000 }).catch(() => {});
    transport.say(elicit);
    await turn();
    assert.deepEqual(shown, isShown ? [asker] : []);
    const reply = transport.sent.at(-1)?.message as { error?: { data: unknown } };
    if (!isShown) assert.deepEqual(reply.error?.data, { reason: 'attribution-ambiguous', callsInFlight: 1 });
  }
});

test('an abandoned request is forgotten when its answer comes, or when no call may last that long', async () => {
  for (const how of ['answer', 'time'] as const) {
    const transport = new PlayedTransport();
    const clock = new ManualClock();
    const peer = peerOn(transport, clock);
    const shown: string[] = [];
    const late = assert.rejects(peer.request(callOf('ada', shown)), { code: 'TIMEOUT' });
    await clock.advance(1_000);
    await late;
    if (how === 'answer') transport.say({ id: 1, result: {} });
    else await clock.advance(limits.callHardMaxMs);
    peer.request({ ...callOf('grace', shown), timeoutMs: 3_600_000 }).catch(() => {});
    transport.say(elicit);
    await turn();
    assert.deepEqual(shown, ['grace'], how);
  }
});

test('one call has a bounded number of open questions', async () => {
  const transport = new PlayedTransport();
  const peer = peerOn(transport, new ManualClock());
  let asked = 0;
  const onAsk = () => {
    asked += 1;
    return new Promise<never>(() => {});
  };
  peer.request({ ...call, onAsk }).catch(() => {});
  for (let at = 0; at < limits.maxOpenAsksPerCall + 5; at += 1) transport.say({ ...elicit, id: `q${at}` });
  await turn();
  assert.equal(asked, limits.maxOpenAsksPerCall);
  assert.equal(transport.sent.filter(({ message }) => 'error' in message).length, 5);
});

test('word that a call was given up is itself given up when nobody takes it, and when the link ends', async () => {
  const clock = new ManualClock();
  const transport = new PlayedTransport();
  // Nothing that is sent is ever taken.
  transport.send = (message, options = {}) => {
    transport.sent.push({ message: message as unknown as Message, signal: options.signal });
    return new Promise(() => {});
  };
  const peer = peerOn(transport, clock);
  const cancelled = async () => {
    const late = assert.rejects(peer.request(call), { code: 'TIMEOUT' });
    await clock.advance(1_000);
    await late;
    const last = transport.sent.at(-1);
    assert.equal(last?.message.method, 'notifications/cancelled');
    return last?.signal;
  };
  const first = await cancelled();
  assert.equal(first?.aborted, false);
  await clock.advance(limits.tellTimeoutMs);
  assert.equal(first?.aborted, true);
  const second = await cancelled();
  peer.close(new Error('over'));
  assert.equal(second?.aborted, true);
});

test('an HTTP exchange that ends without the answer is an error at once', async () => {
  const peer = peerOn(new PlayedTransport(undefined, 'http'), new ManualClock());
  await assert.rejects(peer.request(call), { message: /sent no answer/, data: { reason: 'no-answer' } });
});

test('a request on a link that has ended was provably not sent', async () => {
  const peer = peerOn(new PlayedTransport(), new ManualClock());
  peer.close(new GatewayError('SERVER_DISCONNECTED', 'It exited.', { data: { reason: 'exited' } }));
  await assert.rejects(peer.request(call), { data: { reason: 'exited', isUnexecuted: true } });
});

test('a server that never takes "initialized" does not hold up connecting beyond its time', async () => {
  const clock = new ManualClock();
  const transport = new PlayedTransport(({ method }) => (method === 'initialize' ? legacyHello : { hang: true }));
  const opening = assert.rejects(Link.open(optionsFor(transport, clock)), { data: { reason: 'connect-timeout' } });
  await turn();
  assert.equal(transport.methods().at(-1), 'notifications/initialized');
  await clock.advance(30_000);
  await opening;
  assert.ok(transport.isClosed);
});

test('a modern server that was still starting when it was asked is asked once more', async () => {
  const clock = new ManualClock();
  let discovers = 0;
  const transport = new PlayedTransport(({ method }) => {
    if (method === 'initialize') return { error: { code: -32601, message: 'Unknown method' } };
    if (method !== 'server/discover') return undefined;
    discovers += 1;
    return discovers > 1 ? modernHello : undefined;
  });
  const opening = Link.open(optionsFor(transport, clock, { want: 'probe' }));
  await turn();
  await clock.advance(limits.probeTimeoutMs);
  assert.equal((await opening).era, 'modern');
});

test('only a server that does not know initialize has refused it', () => {
  const refusal = (rpcCode: number) =>
    new GatewayError('SERVER_NOT_RUNNING', 'no', { data: { reason: 'initialize-refused', rpcCode } });
  for (const code of [-32601, -32602, -32022]) assert.ok(isRefusedInitialize(refusal(code)), String(code));
  for (const code of [-32603, -32000, 500]) assert.ok(!isRefusedInitialize(refusal(code)), String(code));
});

const listening = (id: number | undefined) => ({
  method: 'notifications/subscriptions/acknowledged',
  params: { notifications: { toolsListChanged: true }, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
});

test('a modern link that listens again after a gap tells of every list that may have changed meanwhile', async () => {
  const clock = new ManualClock();
  const transport = new PlayedTransport(({ method }) => (method === 'server/discover' ? modernHello : undefined));
  const link = await Link.open(optionsFor(transport, clock, { want: 'modern' }));
  const told: string[] = [];
  link.listChanged.on((kind) => told.push(kind));
  const listen = () =>
    transport.sent.filter(({ message }) => message.method === 'subscriptions/listen').at(-1)?.message.id;
  transport.say(listening(listen()));
  assert.deepEqual(told, [], 'nothing was missed before the first');
  transport.say({ id: listen(), result: {} });
  await clock.awaited(1_000);
  await clock.advance(1_000);
  transport.say(listening(listen()));
  assert.deepEqual(told, ['tools']);
  await link.close();
});

const request = { ...call, agent: { capabilities: {} } };

test('an answer to a request made after the trouble began proves that the server is there, and its stream is opened again at once', async () => {
  const answers: (() => void)[] = [];
  let isSlow = false;
  const transport = new PlayedTransport((message) => {
    if (message.method === 'initialize') return legacyHello;
    if (message.method !== 'tools/call') return undefined;
    if (!isSlow) return message.params === undefined ? { error: { code: -32602, message: 'no' } } : { result: {} };
    answers.push(() => transport.say({ id: message.id, result: {} }));
    return undefined;
  });
  let hurries = 0;
  Object.assign(transport, { hurry: () => (hurries += 1) });
  const link = await Link.open(optionsFor(transport, new ManualClock()));
  const reached: boolean[] = [];
  link.reached.on(() => reached.push(link.trouble === undefined));
  const call = { method: 'tools/call', params: {}, timeoutMs: 5_000, agent: { capabilities: {} } };
  isSlow = true;
  const before = link.request(call);
  await turn();
  transport.events?.onReach?.(new Error('Nobody is there.'));
  answers[0]?.();
  await before;
  assert.deepEqual([reached, hurries], [[false], 0], 'what was sent before may be answered by one who is going');
  isSlow = false;
  await link.request(call);
  assert.deepEqual([reached, hurries], [[false, true], 1]);
  transport.events?.onReach?.(new Error('Nobody is there.'));
  await assert.rejects(link.request({ ...call, params: undefined }), { code: -32602 });
  assert.deepEqual([reached, hurries], [[false, true, false, true], 2], 'a refusal is an answer too');
  await link.close();
});

test('an idle link in trouble is kept, because it is what notices the return, and goes when that is over', async () => {
  const clock = new ManualClock();
  const transport = new PlayedTransport(({ method }) => (method === 'initialize' ? legacyHello : undefined), 'http');
  const link = await Link.open(optionsFor(transport, clock));
  let isGone = false;
  link.idle.on(() => {
    isGone = true;
  });
  link.setLimits({ maxConcurrent: 1, idleMs: 1_000 });
  transport.events?.onReach?.(new Error('Nobody is there.'));
  await clock.advance(60_000);
  assert.equal(isGone, false);
  transport.events?.onReach?.(undefined);
  await clock.advance(1_000);
  assert.equal(isGone, true);
  await link.close();
});

test('a retiring link closes after the answer to its last call, or after its grace', async () => {
  for (const isAnswered of [true, false]) {
    const clock = new ManualClock();
    const transport = new PlayedTransport(({ method }) => (method === 'initialize' ? legacyHello : undefined));
    const link = await Link.open(optionsFor(transport, clock));
    const calls = [1, 2].map(() => link.request({ ...request, timeoutMs: 60_000 }).catch(() => 'lost'));
    await turn();
    const retiring = link.retire(5_000);
    const [first, second] = transport.sent.slice(-2).map(({ message }) => message.id);
    transport.say({ id: first, result: {} });
    await calls[0];
    assert.equal(transport.isClosed, false);
    if (isAnswered) transport.say({ id: second, result: {} });
    else await clock.advance(5_000);
    await retiring;
    assert.equal(transport.isClosed, true);
    assert.deepEqual(await calls[1], isAnswered ? {} : 'lost');
  }
});

test('a server that lets call after call time out without a word is given up, one that answers a ping is not', async () => {
  for (const answersPing of [false, true]) {
    const clock = new ManualClock();
    const transport = new PlayedTransport(({ method }) => {
      if (method === 'initialize') return legacyHello;
      return method === 'ping' && answersPing ? { result: {} } : undefined;
    });
    const link = await Link.open(optionsFor(transport, clock));
    const ends: Error[] = [];
    link.closed.on((reason) => ends.push(reason));
    for (let at = 0; at < limits.maxSilentTimeouts; at += 1) {
      const late = assert.rejects(link.request(request), { code: 'TIMEOUT' });
      await turn();
      await clock.advance(1_000);
      await late;
    }
    await turn();
    assert.equal(transport.methods().at(-1), 'ping');
    await clock.advance(limits.probeTimeoutMs);
    if (answersPing) assert.equal(link.death, undefined);
    else assert.match(link.death?.message ?? '', /"far" hangs: it let 3 calls time out/);
    assert.deepEqual(ends, answersPing ? [] : [link.death]);
    await link.close();
  }
});

test('waiting for a turn takes from the time of a request, and it is looked at again before it is sent', async () => {
  const clock = new ManualClock();
  const transport = new PlayedTransport(({ method }) => (method === 'initialize' ? legacyHello : undefined));
  const link = await Link.open(optionsFor(transport, clock));
  link.setLimits({ maxConcurrent: 1, idleMs: 0 });
  const long = assert.rejects(link.request({ ...request, timeoutMs: 3_000 }), { code: 'TIMEOUT' });
  const never = assert.rejects(link.request({ ...request, timeoutMs: 2_000 }), {
    code: 'TIMEOUT',
    data: { reason: 'queue-timeout', isUnexecuted: true },
  });
  const short = assert.rejects(link.request({ ...request, timeoutMs: 4_000 }), { code: 'TIMEOUT' });
  // It had waited elsewhere before.
  const started = { ...request, timeoutMs: 7_000, startedAt: clock.elapsed() - 5_000 };
  const before = assert.rejects(link.request(started), { data: { reason: 'queue-timeout', isUnexecuted: true } });
  const recheck = () => assert.fail('on hold');
  const held = assert.rejects(link.request({ ...request, timeoutMs: 9_000, recheck }), { message: 'on hold' });
  await clock.advance(2_000);
  await Promise.all([never, before]);
  await clock.advance(1_000);
  await long;
  await clock.advance(1_000);
  await short;
  await held;
  assert.equal(transport.methods().filter((method) => method === 'tools/call').length, 2);
  await link.close();
});

/** A result of the size named, as a transport hands it over when it came by way of the disk. */
function longResult(spool: Spool, bytes: number): Result {
  const message = new SpoolMessage(spool);
  message.push(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(bytes)}"}}`));
  return (message.end(0) as RpcResult).result;
}

test('a long result goes as it is to whoever takes it so, and loaded to all others', async () => {
  const spool = testSpool();
  const transport = new PlayedTransport(() => ({ result: longResult(spool, 50_000) }));
  const peer = peerOn(transport, new ManualClock());
  const taken = await peer.request({ ...call, takesLong: true });
  assert.ok(taken.text instanceof LongValue && spool.bytes > 50_000);
  releaseLong(taken);
  assert.deepEqual(await peer.request(call), { text: 'x'.repeat(50_000) });
  assert.equal(spool.bytes, 0);
});

test('a long question to the agent is loaded, whoever asked', async () => {
  const spool = testSpool();
  const reply = () => ({ result: { ...longResult(spool, 50_000), resultType: 'input_required' } });
  const peer = peerOn(new PlayedTransport(reply), new ManualClock());
  assert.equal((await peer.request({ ...call, takesLong: true })).text, 'x'.repeat(50_000));
  assert.equal(spool.bytes, 0);
});

test('a result that is too long to be loaded is refused, and its file goes', async () => {
  const spool = testSpool();
  const peer = peerOn(
    new PlayedTransport(() => ({ result: longResult(spool, limits.wholeMessageBytes) })),
    new ManualClock(),
  );
  await assert.rejects(peer.request(call), {
    code: 'TOO_LARGE',
    message: 'The answer of server "far" is larger than 33554432 bytes and was not read.',
  });
  assert.equal(spool.bytes, 0);
});

test('a long answer to a request that was given up is let go', async () => {
  const spool = testSpool();
  const clock = new ManualClock();
  const transport = new PlayedTransport();
  const peer = peerOn(transport, clock);
  const timedOut = assert.rejects(peer.request({ ...call, takesLong: true }), { code: 'TIMEOUT' });
  await clock.advance(1_000);
  await timedOut;
  transport.say({ id: 1, result: longResult(spool, 50_000) });
  assert.equal(spool.bytes, 0);
});

test('why an answer could not be read reaches its caller as what it is', async () => {
  for (const code of ['TOO_LARGE', 'STORE_BROKEN', 'RATE_LIMITED', 'ACCESS_DENIED']) {
    const error = { code: -32603, message: 'It was not read.', data: { toolcrib: code } };
    const peer = peerOn(new PlayedTransport(() => ({ error })), new ManualClock());
    const expected = code === 'ACCESS_DENIED' ? -32603 : code;
    await assert.rejects(peer.request(call), { code: expected, message: 'It was not read.' });
  }
});

/** The legacy era at an endpoint made for it: what is asked, kept and let go in moments that no real server shows on demand. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { post, RawSession } from '../../test/kit/hand-made.ts';
import { everybody } from '../access/access.ts';
import { systemClock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { http } from '../base/node-http.ts';
import { Signal } from '../base/signal.ts';
import type { Endpoint, EndpointChange } from '../endpoint/endpoint.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { EndpointRequest } from '../tools/tools.ts';
import { Slots } from './connections.ts';
import { HttpError } from './exchange.ts';
import { serveLegacyGet, serveLegacyPost } from './legacy-leg.ts';
import { LegacySessions } from './legacy-session.ts';
import { noOthers } from './pass-on.ts';
import type { ResolvedMessage } from './resolve-message.ts';

type Handle = (request: EndpointRequest) => Promise<Result>;

class FakeEndpoint implements Endpoint {
  readonly methods = new Set(['tools/call']);
  readonly changed = new Signal<EndpointChange>();
  readonly handle: Handle;

  constructor(handle: Handle) {
    this.handle = handle;
  }

  async describe() {
    return { serverInfo: {}, capabilities: {} };
  }

  findTool(): undefined {}

  listen(_: unknown, hear: (change: EndpointChange) => void): () => void {
    return this.changed.on(hear);
  }

  async subscribe(): Promise<void> {}

  unsubscribe(): Promise<void> {
    return new Promise(() => {});
  }

  close(): void {}
}

async function openDoor(handle: Handle, maxSessions = 10) {
  const endpoint = new FakeEndpoint(handle);
  const sessions = new LegacySessions({
    clock: systemClock,
    most: () => maxSessions,
    mostEach: () => maxSessions + 1,
    onEnd: () => {},
  });
  const rights: { areGood: boolean; fault?: Error } = { areGood: true };
  const actNow = (params: Params | undefined): ResolvedMessage => {
    if (!rights.areGood) throw new HttpError(401, 'A valid token is needed.', { rpcCode: -32000 });
    if (rights.fault) throw rights.fault;
    return { principal: everybody, endpoint, params, renewed: () => actNow(params) };
  };
  const resolve = async (params: Params | undefined) => actNow(params);
  const door = {
    home: 'agent',
    replicas: noOthers,
    principal: everybody,
    resolve,
    mayStay: () => true,
    subscriptions: new Slots(() => 9),
    noteAgent: () => {},
  };
  const server = http.createServer(async (request, response) => {
    const shared = { ...door, request, response, clock: systemClock, log: silentLog, sessions };
    try {
      if (request.method === 'GET') return serveLegacyGet(shared);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await serveLegacyPost(shared, JSON.parse(Buffer.concat(chunks).toString()));
    } catch (error) {
      assert.ok(error instanceof HttpError);
      response.writeHead(error.status).end(JSON.stringify({ error: { code: error.rpcCode, message: error.message } }));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    endpoint,
    sessions,
    rights,
    [Symbol.dispose]() {
      sessions.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

test('a message of a batch that is begun after the rights were taken away is refused by itself', async () => {
  let begun = 0;
  using door = await openDoor(async () => {
    begun += 1;
    door.rights.areGood = false;
    return { content: [] };
  });
  const session = await RawSession.open(door.url, {}, { version: '2025-03-26' });
  const batch = Array.from({ length: 9 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: {} }));
  const { status, messages } = await session.send(batch);
  assert.deepEqual([status, begun], [200, 1]);
  assert.deepEqual(
    messages.map(({ error }) => error?.code),
    [undefined, ...Array.from({ length: 8 }, () => -32000)],
  );
});

test('only the message that names a foreign project is refused, with a protocol error', async () => {
  using door = await openDoor(async () => ({ content: [] }));
  const session = await RawSession.open(door.url, {});
  door.rights.fault = new GatewayError('PROJECT_MISMATCH', 'The project is another one.');
  const { status, message } = await session.request('tools/call');
  assert.equal(status, 200);
  assert.match(String(message.error?.message), /The project is another one/);
});

test('messages of a call after its answer are dropped', async () => {
  let speaker: EndpointRequest['agent'] | undefined;
  using door = await openDoor(async ({ agent }) => {
    speaker = agent;
    return { content: [] };
  });
  const session = await RawSession.open(door.url, {});
  await session.request('tools/call');
  speaker?.notify({ jsonrpc: '2.0', method: 'notifications/message', params: {} });
  assert.equal((await session.request('tools/call')).messages.length, 1);
});

test('the questions of a call are withdrawn when the call is answered', async () => {
  let asked: Promise<Result> | undefined;
  using door = await openDoor(async ({ agent }) => {
    asked = agent.ask?.('elicitation/create', {}, new AbortController().signal);
    asked?.catch(() => {});
    return { content: [] };
  });
  const session = await RawSession.open(door.url, {});
  const { messages } = await session.request('tools/call');
  assert.deepEqual(
    messages.map(({ method }) => method ?? 'answer'),
    ['elicitation/create', 'notifications/cancelled', 'answer'],
  );
  await assert.rejects(async () => asked, /has been answered/);
});

test('a session that is refused leaves nothing behind', async () => {
  using door = await openDoor(async () => ({}), 1);
  const session = await RawSession.open(door.url, {});
  using _standing = await session.listen();
  const params = { protocolVersion: '2025-11-25', capabilities: {} };
  const { status, message } = await post(door.url, {}, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  assert.deepEqual([status, message.error?.code], [503, -32000]);
  assert.equal(door.endpoint.changed.size, 1);
});

test('a session ends although a server does not answer that nobody listens any more', async () => {
  using door = await openDoor(async () => ({}));
  const session = await RawSession.open(door.url, {});
  await session.request('resources/subscribe', { uri: 'test://one' });
  door.sessions.end(session.headers['mcp-session-id'] ?? '');
  assert.deepEqual([door.sessions.size, door.endpoint.changed.size], [0, 0]);
});

test('an update from a server of one session is told to that session alone', async () => {
  using door = await openDoor(async () => ({}));
  const [one, two] = [await RawSession.open(door.url, {}), await RawSession.open(door.url, {})];
  using heardOne = await one.listen();
  using heardTwo = await two.listen();
  for (const session of [one, two]) await session.request('resources/subscribe', { uri: 'test://one' });
  const params = { uri: 'test://one' };
  door.endpoint.changed.emit({ kind: 'resource', params, session: one.headers['mcp-session-id'] });
  door.endpoint.changed.emit({ kind: 'tools' });
  assert.equal((await heardOne.message()).method, 'notifications/resources/updated');
  assert.equal((await heardTwo.message()).method, 'notifications/tools/list_changed');
});

test('the requests of a batch are worked on a few at a time', async () => {
  let running = 0;
  let most = 0;
  using door = await openDoor(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return {};
  });
  const session = await RawSession.open(door.url, {}, { version: '2025-03-26' });
  const batch = Array.from({ length: 50 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call' }));
  const { messages } = await session.send(batch);
  assert.deepEqual([messages.length, most], [50, 8]);
});

test('only the version that knows events without data is sent one', async () => {
  using door = await openDoor(async () => ({}));
  for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
    const session = await RawSession.open(door.url, {}, { version });
    using stream = await session.listen();
    door.endpoint.changed.emit({ kind: 'tools' });
    assert.equal((await stream.next()).data === '', version === '2025-11-25', version);
  }
});

test('the events of all streams of a session are bounded; the newest answer is kept', async () => {
  using door = await openDoor(async ({ agent, params }) => {
    agent.notify({ jsonrpc: '2.0', method: 'notifications/message', params: {} });
    return { text: 'x'.repeat(Number(params.size)) };
  });
  const session = await RawSession.open(door.url, {});
  const ids: string[] = [];
  for (let call = 0; call < 8; call += 1) {
    using stream = await session.stream('tools/call', { size: 900_000 });
    ids.push(String((await stream.next()).id));
    while ((await stream.message()).result === undefined);
  }
  const statuses = [];
  for (const id of ids) {
    using again = await session.listen(id);
    statuses.push(again.status);
  }
  assert.deepEqual(statuses, [400, 400, 400, 400, 200, 200, 200, 200]);
});

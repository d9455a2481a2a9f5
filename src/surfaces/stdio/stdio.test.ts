/** The bridge at a door that misbehaves on purpose: what the gateway hears, and what the agent does. */

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { type DoorRequest, emit, openStream, refuse, reply, ScriptedDoor } from '../../../test/kit/scripted-door.ts';
import { silentLog } from '../../base/log.ts';
import { metaKeys, modernVersion } from '../../protocol/eras.ts';
import { Bridge } from './bridge.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { LineWriter } from './line-writer.ts';
import { runStdio } from './stdio.ts';

type Dict = Record<string, unknown>;

/** A bridge in this process, and the agent's end of it. */
class Agent implements AsyncDisposable {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly messages: Dict[] = [];
  readonly done: Promise<number>;
  searches = 0;
  readonly #news = new EventEmitter().setMaxListeners(0);
  #text = '';

  constructor(door: ScriptedDoor, options: { readonly isReading?: boolean } = {}) {
    if (options.isReading !== false) this.read();
    const connect = async () => {
      this.searches += 1;
      return { url: door.url, token: 'tc_test' };
    };
    this.done = runStdio({ env: {}, dataDir: '', input: this.input, output: this.output, connect });
  }

  read(): void {
    this.output.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#text + text).split('\n');
      this.#text = lines.pop() ?? '';
      for (const line of lines) this.messages.push(JSON.parse(line) as Dict);
      this.#news.emit('message');
    });
  }

  send(message: Dict): void {
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  request(id: string, method: string, params: Dict = {}): Promise<Dict> {
    this.send({ id, method, params });
    return this.next((message) => message.id === id && message.method === undefined);
  }

  modern(id: string, method: string, params: Dict = {}): Promise<Dict> {
    const _meta = { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} };
    return this.request(id, method, { _meta, ...params });
  }

  async open(): Promise<void> {
    await this.request('hello', 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    this.send({ method: 'notifications/initialized' });
  }

  async next(fits: (message: Dict) => boolean): Promise<Dict> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      await once(this.#news, 'message');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.input.end();
    await this.done;
  }
}

const isCall = ({ rpc }: DoorRequest) => rpc.method === 'tools/call';

test('a forgotten session: is opened again with all that the agent had said, and the request is sent again', async () => {
  await using door = await ScriptedDoor.open();
  await using agent = new Agent(door);
  await agent.open();
  await agent.request('level', 'logging/setLevel', { level: 'debug' });
  for (const uri of ['a:1', 'b:2']) await agent.request(uri, 'resources/subscribe', { uri });
  await agent.request('un', 'resources/unsubscribe', { uri: 'a:1' });
  door.script = ({ headers, response }) => {
    if (headers['mcp-session-id'] !== 'session-1') return false;
    refuse(response, 404, 'The session is not known.');
    return true;
  };
  const before = door.requests.length;
  assert.deepEqual((await agent.request('call', 'tools/call')).result, {});
  await door.next(
    ({ rpc, headers }) => rpc.method === 'resources/subscribe' && headers['mcp-session-id'] === 'session-2',
  );
  const heard = door.heard.slice(before);
  assert.deepEqual(heard.toSorted(), [
    ...['GET', 'initialize', 'logging/setLevel', 'notifications/initialized', 'resources/subscribe'],
    ...['tools/call', 'tools/call'],
  ]);
  assert.deepEqual(heard.slice(0, 3), ['tools/call', 'initialize', 'notifications/initialized']);
  assert.equal(door.requests.findLast(({ rpc }) => rpc.method === 'resources/subscribe')?.rpc.id, 'b:2');
  const answers = agent.messages.map(({ id }) => id);
  assert.deepEqual(answers, ['hello', 'level', 'a:1', 'b:2', 'un', 'call']);
});

test('a forgotten session: is opened again once for many requests', async () => {
  await using door = await ScriptedDoor.open();
  await using agent = new Agent(door);
  await agent.open();
  await door.next(({ verb }) => verb === 'GET');
  door.script = ({ headers, response }) => {
    if (headers['mcp-session-id'] !== 'session-1') return false;
    refuse(response, 404, 'The session is not known.');
    return true;
  };
  await Promise.all(Array.from({ length: 20 }, (_, at) => agent.request(`p${at}`, 'ping')));
  assert.equal(door.sessions, 2);
});

test('a forgotten session: takes its questions with it: a late answer reaches no question of the new session', async () => {
  await using door = await ScriptedDoor.open();
  await using agent = new Agent(door);
  await agent.open();
  const streams: DoorRequest[] = [];
  door.script = (request) => {
    const isOld = request.headers['mcp-session-id'] === 'session-1';
    if (isOld && streams.length > 0) refuse(request.response, 404, 'The session is not known.');
    else if (isCall(request)) {
      streams.push(request);
      emit(openStream(request.response), { id: 'toolcrib-1', method: 'elicitation/create', params: {} });
    } else return false;
    return true;
  };
  const isQuestion = ({ method }: Dict) => method === 'elicitation/create';
  const first = agent.request('first', 'tools/call');
  const asked = await agent.next(isQuestion);
  streams[0]?.response.destroy();
  assert.match(JSON.stringify((await first).error), /may or may not/);
  const second = agent.request('second', 'tools/call');
  const askedAgain = await agent.next((message) => isQuestion(message) && message !== asked);
  const cancelled = await agent.next(({ method }) => method === 'notifications/cancelled');
  assert.equal((cancelled.params as Dict).requestId, asked.id);
  assert.notEqual(askedAgain.id, asked.id);
  agent.send({ id: asked.id, result: { name: 'too late' } });
  agent.send({ id: askedAgain.id, result: { name: 'in time' } });
  const { rpc, headers } = await door.next((request) => request.rpc.result !== undefined);
  assert.deepEqual(
    [rpc, headers['mcp-session-id']],
    [{ jsonrpc: '2.0', id: 'toolcrib-1', result: { name: 'in time' } }, 'session-2'],
  );
  assert.equal(door.requests.filter((request) => request.rpc.result !== undefined).length, 1);
  emit(streams[1]?.response as DoorRequest['response'], { id: 'second', result: {} });
  streams[1]?.response.end();
  assert.ok((await second).result);
});
describe('an answer that never comes', () => {
  const ways: Record<string, (request: DoorRequest) => void> = {
    'an accepted request without an answer': ({ response }) => void response.writeHead(202).end(),
    'a stream that ends early': ({ response }) => void openStream(response).end(),
    'a stream that is cut': ({ response }) => {
      emit(openStream(response), { method: 'notifications/message', params: {} });
      setImmediate(() => response.destroy());
    },
    'a connection that is cut': ({ response }) => void response.destroy(),
  };
  for (const [name, act] of Object.entries(ways)) {
    for (const era of ['request', 'modern'] as const) {
      test(`${name} (${era}): the call is made once, and may or may not have been carried out`, async () => {
        await using door = await ScriptedDoor.open();
        await using agent = new Agent(door);
        if (era === 'request') await agent.open();
        door.script = (request) => {
          if (isCall(request)) act(request);
          return isCall(request);
        };
        assert.match(JSON.stringify((await agent[era]('one', 'tools/call')).error), /may or may not/);
        assert.equal(door.requests.filter(isCall).length, 1);
      });
    }
  }
});

test('a gateway that takes nothing is asked once more, and then its own words are passed on', async () => {
  await using door = await ScriptedDoor.open();
  await using agent = new Agent(door);
  door.script = (request) => {
    if (!isCall(request)) return false;
    refuse(request.response, 503, 'Shutting down.');
    return true;
  };
  assert.match(JSON.stringify((await agent.modern('one', 'tools/call')).error), /503.*Shutting down/);
  assert.deepEqual([door.requests.length, agent.searches], [2, 2]);
});

test('an answer that is no answer is told as such', async () => {
  await using door = await ScriptedDoor.open();
  await using agent = new Agent(door);
  const bodies = ['<html>', '{"error":{"message":"nothing here"}}', '{"jsonrpc":"2.0","id":"other","result":{}}'];
  for (const [at, body] of bodies.entries()) {
    door.script = ({ response }) => {
      response.writeHead(at === 1 ? 404 : 200, { 'content-type': 'application/json' }).end(body);
      return true;
    };
    const { error } = await agent.modern(`m${at}`, 'tools/list');
    assert.match(JSON.stringify(error), [/cannot be read/, /404.*nothing here/, /may or may not/][at] ?? /never/);
  }
});

test('a modern request carries its headers, and the bridge says what it is', async () => {
  await using door = await ScriptedDoor.open();
  await using agent = new Agent(door);
  await agent.modern('one', 'tools/call', { name: 'grüße' });
  const { headers } = door.requests[0] as DoorRequest;
  assert.deepEqual(
    ['authorization', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'x-toolcrib-bridge'].map(
      (name) => headers[name],
    ),
    ['Bearer tc_test', '2026-07-28', 'tools/call', '=?base64?Z3LDvMOfZQ==?=', 'stdio'],
  );
});

test('a cancellation that overtook its request is said again until the request ends', async () => {
  await using door = await ScriptedDoor.open();
  await using agent = new Agent(door);
  await agent.open();
  let held: DoorRequest | undefined;
  let cancels = 0;
  door.script = (request) => {
    if (isCall(request)) held = request;
    if (request.rpc.method === 'notifications/cancelled' && ++cancels === 2) held?.response.writeHead(202).end();
    return isCall(request);
  };
  agent.send({ id: 'call', method: 'tools/call' });
  await door.next(isCall);
  agent.send({ method: 'notifications/cancelled', params: { requestId: 'call' } });
  await door.next(() => cancels === 2);
  await agent.request('ping', 'ping');
  assert.ok(!agent.messages.some(({ id }) => id === 'call'));
});

test('an agent that does not read holds the gateway back, and loses nothing', async () => {
  await using door = await ScriptedDoor.open();
  await using agent = new Agent(door, { isReading: false });
  const count = 48;
  let stream: DoorRequest['response'] | undefined;
  door.script = ({ response }) => {
    stream = openStream(response);
    for (let at = 0; at < count; at += 1)
      emit(stream, { method: 'notifications/message', params: { at, data: 'x'.repeat(1_000_000) } });
    emit(stream, { id: 'one', result: {} });
    stream.end();
    return true;
  };
  const answer = agent.modern('one', 'tools/call');
  await door.next(() => true);
  await once(agent.output, 'readable');
  assert.ok(agent.output.writableLength + agent.output.readableLength < 8_000_000);
  assert.ok((stream?.writableLength ?? 0) > 20_000_000);
  agent.read();
  await answer;
  assert.deepEqual(
    agent.messages.slice(0, -1).map(({ params }) => (params as Dict).at),
    Array.from({ length: count }, (_, at) => at),
  );
});

test('requests over the limit are refused, and there is room again when some are answered', async () => {
  await using door = await ScriptedDoor.open();
  await using agent = new Agent(door);
  const held: DoorRequest[] = [];
  door.script = (request) => held.push(request) > 0;
  const params = { _meta: { [metaKeys.protocolVersion]: modernVersion } };
  for (let id = 1; id <= bridgeLimits.maxInFlight; id += 1) agent.send({ id, method: 'tools/call', params });
  assert.match(JSON.stringify((await agent.modern('more', 'tools/call')).error), /RATE_LIMITED/);
  await door.next(() => held.length === bridgeLimits.maxInFlight);
  door.script = () => false;
  for (const { rpc, response } of held) reply(response, 200, { jsonrpc: '2.0', id: rpc.id, result: {} });
  await agent.next(({ id }) => id === bridgeLimits.maxInFlight);
  assert.ok((await agent.modern('again', 'tools/call')).result);
});

test('the end of input ends the session and the stream, and the answer of what was in flight is waited for', async () => {
  await using door = await ScriptedDoor.open();
  const agent = new Agent(door);
  await agent.open();
  await door.next(({ verb }) => verb === 'GET');
  door.script = (request) => {
    if (isCall(request)) agent.input.end();
    if (isCall(request)) setTimeout(() => reply(request.response, 200, { jsonrpc: '2.0', id: 'last', result: {} }), 50);
    return isCall(request);
  };
  assert.ok((await agent.request('last', 'tools/call')).result);
  assert.equal(await agent.done, 0);
  assert.deepEqual(door.heard.at(-1), 'DELETE');
  assert.equal(door.requests.at(-1)?.headers['mcp-session-id'], 'session-1');
});

/** A bridge whose time is in the hands of the test, with one request on its way, and everything that the agent hears of it. */
function bridgeWithRequest(connect: () => Promise<{ url: string; token: string }>) {
  const [clock, output] = [new ManualClock(), new PassThrough()];
  const writer = new LineWriter(output);
  const bridge = new Bridge({ connect, surface: undefined, writer, clock, log: silentLog });
  const params = { protocolVersion: '2025-11-25', capabilities: {} };
  bridge.onLine(JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params }));
  return { bridge, clock, said: () => String(output.read() ?? '') };
}

test('the end: a request waits for a gateway that is still starting, for as long as that takes', async () => {
  await using door = await ScriptedDoor.open();
  const started = Promise.withResolvers<void>();
  const { bridge, clock, said } = bridgeWithRequest(async () => {
    await started.promise;
    return { url: door.url, token: 'tc_test' };
  });
  const closed = bridge.close(new Promise(() => {}));
  await clock.advance(10 * bridgeLimits.drainMs);
  started.resolve();
  await closed;
  assert.match(said(), /"serverInfo"/);
});

test('the end: takes no time when it is asked for again', async () => {
  const hurried = Promise.withResolvers<void>();
  const { bridge } = bridgeWithRequest(() => new Promise(() => {}));
  const closed = bridge.close(hurried.promise);
  hurried.resolve();
  await closed;
});

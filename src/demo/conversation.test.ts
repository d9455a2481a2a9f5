/** A conversation without a process: what goes over the wire, with a clock that the test moves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { isObject } from '../base/json.ts';
import { Conversation } from './conversation.ts';
import { notesTools } from './notes.ts';
import { weatherTools } from './weather.ts';

/** A clock that stands still until the next timer is made to fire. */
class ManualClock implements Clock {
  readonly #pending = new Map<object, () => void>();

  now = () => Date.parse('2026-07-01T12:00:00Z');
  elapsed = () => 0;

  after(_ms: number, act: () => void) {
    const timer = { cancel: () => void this.#pending.delete(timer) };
    this.#pending.set(timer, act);
    return timer;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  async fire(): Promise<void> {
    const due = [...this.#pending.values()];
    this.#pending.clear();
    for (const act of due) act();
    await turn();
  }
}

function converse() {
  const clock = new ManualClock();
  const sent: Record<string, unknown>[] = [];
  const host = { name: 'weather', title: 'Weather', description: 'Made up.', clock, toolSet: weatherTools };
  const conversation = new Conversation(host, (message) => sent.push({ ...message }));
  const receive = async (message: object) => {
    conversation.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
    await turn();
  };
  return { clock, sent, conversation, receive };
}

const slow = (id: number, meta: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name: 'get_weather_slow', arguments: { city: 'Oslo', seconds: 10 }, _meta: meta },
});

function errorOf(message: Record<string, unknown> | undefined): Record<string, unknown> {
  assert.ok(isObject(message?.error), JSON.stringify(message));
  return message.error;
}

test('a legacy version is agreed on, and a stranger is offered the latest', async () => {
  const { sent, receive } = converse();
  await receive({ id: 1, method: 'initialize', params: { protocolVersion: '2024-11-05' } });
  await receive({ id: 2, method: 'initialize', params: { protocolVersion: '2099-01-01' } });
  const versions = sent.map(({ result }) => isObject(result) && result.protocolVersion);
  assert.deepEqual(versions, ['2024-11-05', '2025-11-25']);
});

test('methods that are not offered are unknown, the modern probe among them', async () => {
  const { sent, receive } = converse();
  const methods = ['server/discover', 'resources/list', 'prompts/get', 'logging/setLevel', 'toString'];
  for (const [id, method] of methods.entries()) await receive({ id, method });
  assert.deepEqual(
    sent.map((message) => [message.id, errorOf(message).code]),
    methods.map((_, id) => [id, -32601]),
  );
});

test('an invalid message gets an error and does not end the conversation', async () => {
  const { sent, conversation, receive } = converse();
  conversation.receive('{"jsonrpc":');
  conversation.receive('[]');
  conversation.receive('['.repeat(1_000));
  await receive({ id: 7, method: 'ping' });
  assert.deepEqual(
    sent.slice(0, 3).map((message) => errorOf(message).code),
    [-32700, -32600, -32700],
  );
  assert.deepEqual(sent[3], { jsonrpc: '2.0', id: 7, result: {} });
});

test('unknown tools, wrong arguments and cursors are refused as the protocol asks', async () => {
  const { sent, receive } = converse();
  await receive({ id: 1, method: 'tools/call', params: { name: 'get_tides' } });
  await receive({ id: 2, method: 'tools/call', params: { name: 'get_weather', arguments: [] } });
  await receive({ id: 3, method: 'tools/list', params: { cursor: 'x' } });
  assert.deepEqual(
    sent.map((message) => errorOf(message).code),
    [-32602, -32602, -32602],
  );
});

test('progress is told step by step to whoever gave a token', async () => {
  const { clock, sent, receive } = converse();
  await receive(slow(1, { progressToken: 'p' }));
  for (let step = 1; step <= 5; step += 1) {
    assert.equal(sent.length, step - 1);
    await clock.fire();
    assert.deepEqual(sent[step - 1], {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: step, total: 5, message: `Asked station ${step} of 5.` },
    });
  }
  assert.equal(sent.length, 6);
  assert.equal(sent[5]?.id, 1);
});

test('without a token there is no progress, only the answer', async () => {
  const { clock, sent, receive } = converse();
  await receive(slow(1));
  for (let step = 1; step <= 5; step += 1) await clock.fire();
  assert.deepEqual(
    sent.map(({ id }) => id),
    [1],
  );
});

test('a cancelled call stops its timer and is never answered; others go on', async () => {
  const { clock, sent, receive } = converse();
  await receive(slow(1, { progressToken: 1 }));
  await receive(slow(2));
  await receive({ method: 'notifications/cancelled', params: { requestId: 1 } });
  assert.equal(clock.pendingCount, 1);
  for (let step = 1; step <= 5; step += 1) await clock.fire();
  assert.deepEqual(
    sent.map(({ id }) => id),
    [2],
  );
  await receive({ method: 'notifications/cancelled', params: { requestId: 99 } });
  await receive({ method: 'notifications/cancelled' });
});

test('closing stops what still runs', async () => {
  const { clock, sent, conversation, receive } = converse();
  await receive(slow(1));
  conversation.close();
  await clock.fire();
  assert.deepEqual([clock.pendingCount, sent], [0, []]);
});

test('an id that is still running, and one request too many, are refused', async () => {
  const { sent, receive } = converse();
  for (let id = 1; id <= 100; id += 1) await receive(slow(id));
  await receive(slow(1));
  await receive(slow(101));
  assert.match(String(errorOf(sent[0]).message), /still running/);
  assert.match(String(errorOf(sent[1]).message), /Too many requests/);
});

test('a full notebook refuses further notes', async () => {
  const clock = new ManualClock();
  const { tools } = notesTools(clock);
  const add = tools.find((tool) => tool.definition.name === 'add_note');
  const context = { clock, signal: new AbortController().signal, reportProgress() {} };
  let added = 0;
  let last = await add?.run({ title: 'a', text: 'b' }, context);
  for (; last?.isError !== true && added < 2_000; added += 1) last = await add?.run({ title: 'a', text: 'b' }, context);
  assert.equal(added, 996);
  assert.match(JSON.stringify(last), /The notebook is full/);
});

/** Tests of calls that wait for their agent: asked, answered, taken over by nobody else, and not for ever; and of sealed states. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { limits } from '../config/config.ts';
import type { Result, RpcRequest } from '../protocol/messages.ts';
import type { AgentSide } from './call.ts';
import { type Asking, Conversations, StateSeal } from './conversations.ts';

const never = new AbortController().signal;

function agentWith(signal: AbortSignal = never): AgentSide {
  return madeAgent({ capabilities: { elicitation: {} }, signal });
}

const question: RpcRequest = { jsonrpc: '2.0', id: 'ask-1', method: 'elicitation/create', params: { message: 'Who?' } };

/** A call that asks `count` questions, one after the other, and returns the answers. */
function asking(count: number): (stand: AgentSide, ask: Asking) => Promise<Result> {
  return async (stand, ask) => {
    const answers: Result[] = [];
    for (let at = 0; at < count; at += 1) answers.push(await ask(question, stand.signal));
    return { answers };
  };
}

interface Parked {
  readonly handle: string;
  readonly keys: string[];
}

function parked(result: Result): Parked {
  assert.equal(result.resultType, 'input_required');
  assert.ok(Conversations.isHandle(result.requestState));
  return { handle: result.requestState, keys: Object.keys(result.inputRequests as object) };
}

const me = { identity: () => 'me' };

test('a call that asks nothing is answered at once', async () => {
  const conversations = new Conversations(new ManualClock());
  assert.deepEqual(await conversations.start(me, agentWith(), async () => ({ done: true })), { done: true });
  assert.equal(conversations.size, 0);
});

test('a question comes back as "input required", and its answer goes on with the same call', async () => {
  const conversations = new Conversations(new ManualClock());
  const first = await conversations.start(me, agentWith(), asking(2));
  const { handle, keys } = parked(first);
  assert.deepEqual(Object.values(first.inputRequests as object), [
    { method: 'elicitation/create', params: { message: 'Who?' } },
  ]);
  const second = await conversations.resume(handle, { [keys[0] ?? '']: { name: 'Ada' } }, 'me', agentWith());
  const again = parked(second);
  assert.deepEqual(
    await conversations.resume(again.handle, { [again.keys[0] ?? '']: { name: 'Bob' } }, 'me', agentWith()),
    {
      answers: [{ name: 'Ada' }, { name: 'Bob' }],
    },
  );
  assert.equal(conversations.size, 0);
});

test('a question to an agent that has left is refused, and the call is not kept', async () => {
  const conversations = new Conversations(new ManualClock());
  const left = new AbortController();
  const call = conversations.start(me, agentWith(left.signal), async (stand, ask) => {
    await new Promise((resolve) => stand.signal.addEventListener('abort', resolve));
    return ask(question, stand.signal);
  });
  left.abort(new Error('The agent has left.'));
  await assert.rejects(call, { message: 'The agent has left.' });
  assert.equal(conversations.size, 0);
});

test('nobody else can go on with it, nor with a handle that is made up or used up', async () => {
  const conversations = new Conversations(new ManualClock());
  const { handle, keys } = parked(await conversations.start(me, agentWith(), asking(1)));
  const answers = { [keys[0] ?? '']: {} };
  const unknown = { message: /requestState is unknown or has expired/ };
  await assert.rejects(conversations.resume(handle, answers, 'somebody else', agentWith()), unknown);
  await assert.rejects(conversations.resume(`${handle}x`, answers, 'me', agentWith()), unknown);
  await conversations.resume(handle, answers, 'me', agentWith());
  await assert.rejects(conversations.resume(handle, answers, 'me', agentWith()), unknown);
});

test('an answer that answers nothing is asked for again', async () => {
  const conversations = new Conversations(new ManualClock());
  const { handle } = parked(await conversations.start(me, agentWith(), asking(1)));
  for (const nonsense of [undefined, null, [], 'yes', { other: {} }, JSON.parse('{"__proto__":{}}')]) {
    const still = parked(await conversations.resume(handle, nonsense, 'me', agentWith()));
    assert.equal(still.handle, handle);
  }
});

test('an agent that does not come back in five minutes loses the call, and the server is told', async () => {
  const clock = new ManualClock();
  const conversations = new Conversations(clock);
  let signal = never;
  const abandoned: unknown[] = [];
  const onAbandoned = (error: Error, workedMs: number) => abandoned.push([error.message, workedMs]);
  await conversations.start({ ...me, onAbandoned }, agentWith(), async (stand, ask) => {
    signal = stand.signal;
    return ask(question, stand.signal);
  });
  await clock.advance(299_000);
  assert.ok(!signal.aborted);
  await clock.advance(1_001);
  assert.ok(signal.aborted);
  assert.match(String(signal.reason), /did not answer the question of the server in time/);
  assert.equal(conversations.size, 0);
  assert.deepEqual(abandoned, [['The agent did not answer the question of the server in time.', 0]]);
});

test('the time in which the server works is counted, not that of the agent', async () => {
  const clock = new ManualClock();
  const conversations = new Conversations(clock);
  const working = Promise.withResolvers<void>();
  const first = conversations.start(me, agentWith(), async (stand, ask) => {
    await working.promise;
    return ask(question, stand.signal);
  });
  await clock.advance(700);
  working.resolve();
  const { handle } = parked(await first);
  await clock.advance(60_000);
  assert.equal(conversations.workedMs(handle), 700);
  assert.equal(conversations.workedMs('toolcrib-call.other'), 0);
  assert.equal(conversations.workedMs(undefined), 0);
});

test('an agent that goes away while the server works cancels the call', async () => {
  const conversations = new Conversations(new ManualClock());
  const going = new AbortController();
  const call = conversations.start(
    me,
    agentWith(going.signal),
    (stand) =>
      new Promise((_resolve, reject) => {
        stand.signal.addEventListener('abort', () => reject(stand.signal.reason));
      }),
  );
  going.abort(new Error('gone'));
  await assert.rejects(call, /gone/);
});

test('no more calls wait than the limit allows, and closing ends them all', async () => {
  const clock = new ManualClock();
  const conversations = new Conversations(clock);
  for (let at = 0; at < 256; at += 1) await conversations.start(me, agentWith(), asking(1));
  await assert.rejects(conversations.start(me, agentWith(), asking(1)), { code: 'RATE_LIMITED' });
  assert.equal(conversations.size, 256);
  conversations.close();
  assert.deepEqual([conversations.size, clock.waits], [0, []]);
});

test('progress goes to the token of the request that is waiting', async () => {
  const conversations = new Conversations(new ManualClock());
  const tokens: unknown[] = [];
  const send = async (stand: AgentSide, ask: Asking) => {
    tokens.push(stand.progressToken);
    await ask(question, stand.signal);
    tokens.push(stand.progressToken);
    return {};
  };
  const { handle, keys } = parked(await conversations.start(me, { ...agentWith(), progressToken: 'first' }, send));
  await conversations.resume(handle, { [keys[0] ?? '']: {} }, 'me', { ...agentWith(), progressToken: 'second' });
  assert.deepEqual(tokens, ['first', 'second']);
});

const refusal = { code: -32602, message: /unknown or has expired/ };

test('a state comes back as it was, whatever is in it, and cannot be read meanwhile', () => {
  const seal = new StateSeal(new ManualClock());
  for (const state of [
    '',
    'plain',
    'ünï\u0000code 🦊',
    'x'.repeat(100_000),
    'toolcrib-state.AAAA',
    'toolcrib-call.AAAA',
  ]) {
    const sealed = seal.seal(state, 'me');
    assert.equal(seal.open(sealed, 'me'), state);
    assert.match(sealed, /^toolcrib-state\.[\w-]+$/);
    if (state.length > 3) assert.ok(!Buffer.from(sealed.slice(15), 'base64url').includes(state));
  }
});

test('a state of somebody else, of another gateway, changed or made up is refused in the same words', () => {
  const clock = new ManualClock();
  const seal = new StateSeal(clock);
  const sealed = seal.seal('state', 'me');
  assert.throws(() => seal.open(sealed, 'you'), refusal);
  assert.throws(() => new StateSeal(clock).open(sealed, 'me'), refusal);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    assert.throws(() => seal.open(changed, 'me'), refusal);
  }
  for (const other of ['', 'state', 'toolcrib-state.', `${sealed}A`, `${sealed}=`, ` ${sealed}`, 7, null, {}, [sealed]])
    assert.throws(() => seal.open(other, 'me'), refusal, String(other));
});

test('a state is taken for a while', async () => {
  const clock = new ManualClock();
  const seal = new StateSeal(clock);
  const sealed = seal.seal('state', 'me');
  await clock.advance(limits.sealedStateTtlMs - 1);
  assert.equal(seal.open(sealed, 'me'), 'state');
  await clock.advance(1);
  assert.throws(() => seal.open(sealed, 'me'), refusal);
});

test('work of our own asks through its agent, and a question that is left open there is declined', async () => {
  const conversations = new Conversations(new ManualClock());
  const asksOnce = async ({ ask, signal }: AgentSide): Promise<Result> =>
    (await ask?.('elicitation/create', { message: 'Who?' }, signal).catch(({ message }: Error) => ({ message }))) ?? {};
  const options = { ...me, mayDecline: true };
  const { handle, keys } = parked(await conversations.start(options, agentWith(), asksOnce));
  const answers = { [keys[0] ?? '']: { name: 'Ada' } };
  assert.deepEqual(await conversations.resume(handle, answers, 'me', agentWith()), { name: 'Ada' });
  const again = parked(await conversations.start(options, agentWith(), asksOnce));
  const declined = { message: 'The agent declined the question.' };
  assert.deepEqual(await conversations.resume(again.handle, {}, 'me', agentWith()), declined);
});

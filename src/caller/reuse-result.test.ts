/** Results that are used again: whose, of which tools, how long, and when they are not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent, madeCall, saying } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { Result } from '../protocol/messages.ts';
import type { Call } from './call.ts';
import { ResultCache } from './reuse-result.ts';

const writing = { name: 'write', inputSchema: { type: 'object' } };
const setting = { ...writing, annotations: { idempotentHint: true } };

/** A server that counts what reaches it. */
function counting(answer: (call: Call, count: number) => Result = (_call, count) => saying(`answer ${count}`)) {
  const seen: Call[] = [];
  const next = async (call: Call) => {
    seen.push(call);
    return answer(call, seen.length);
  };
  return { seen, next };
}

function textOf(result: Result): unknown {
  return Array.isArray(result.content) ? result.content[0]?.text : undefined;
}

function markOf(result: Result): unknown {
  return (result._meta as Record<string, unknown> | undefined)?.['toolcrib/cached'];
}

test('a fresh result is used again and says how old it is; an old one is not', async () => {
  const clock = new ManualClock();
  const { stage } = new ResultCache(clock);
  const { next, seen } = counting();
  const call = madeCall({ cacheTtlMs: 1_000 });
  const first = await stage(call, next);
  assert.equal(markOf(first), undefined);
  await clock.advance(400);
  const second = await stage(call, next);
  assert.deepEqual([textOf(second), markOf(second)], ['answer 1', { ageMs: 400 }]);
  await clock.advance(600);
  assert.equal(textOf(await stage(call, next)), 'answer 2');
  assert.equal(seen.length, 2);
});

test('nothing is used again where the owner did not allow it, or the tool promises nothing', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { next, seen } = counting();
  await stage(madeCall(), next);
  await stage(madeCall(), next);
  const promisesNothing = madeCall({ cacheTtlMs: 1_000, definition: writing });
  await stage(promisesNothing, next);
  await stage(promisesNothing, next);
  assert.equal(seen.length, 4);
});

test('other principals, arguments, definitions, shapes and private sessions have results of their own', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { next, seen } = counting();
  const call = madeCall({ cacheTtlMs: 1_000 });
  const others: Partial<Call>[] = [
    {},
    { principal: { ...call.principal, id: 'other' } },
    { params: { name: 'read', arguments: { path: 'b' } } },
    { fingerprint: 'f2' },
    { server: 'other' },
    { tool: 'other' },
    { maxResultBytes: null },
    { keepsStructured: true },
    { reader: 'direct' },
    { serverIdentity: 'another program' },
    { agent: madeAgent({ knowsLinks: true }) },
    { agent: madeAgent({ capabilities: { elicitation: {} } }) },
    { isPerSession: true, agent: madeAgent({ session: 's1' }) },
    { isPerSession: true, agent: madeAgent({ session: 's2' }) },
  ];
  for (const parts of others) await stage({ ...call, ...parts }, next);
  assert.equal(seen.length, others.length);
  const reordered = { name: 'read', arguments: { path: 'a' }, _meta: { progressToken: 1 } };
  assert.notEqual(markOf(await stage({ ...call, params: reordered }, next)), undefined);
});

test('failures and questions are never used again', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const call = madeCall({ cacheTtlMs: 1_000 });
  const failing = counting(() => saying('no', { isError: true }));
  await stage(call, failing.next);
  await stage(call, failing.next);
  const asking = counting(() => ({ resultType: 'input_required', inputRequests: {} }));
  await stage(call, asking.next);
  await stage(call, asking.next);
  const throwing = counting(() => {
    throw new Error('gone');
  });
  await assert.rejects(stage(call, throwing.next));
  await assert.rejects(stage(call, throwing.next));
  for (const { seen } of [failing, asking, throwing]) assert.equal(seen.length, 2);
});

test('a call that may change something makes all results of that server old, also those fetched meanwhile', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { next, seen } = counting();
  const read = madeCall({ cacheTtlMs: 1_000 });
  const write = madeCall({ definition: writing, tool: 'write' });
  await stage(read, next);
  await stage({ ...write, server: 'elsewhere' }, next);
  assert.equal(textOf(await stage(read, next)), 'answer 1');
  await stage(write, next);
  assert.equal(textOf(await stage(read, next)), 'answer 4');
  const { promise, resolve } = Promise.withResolvers<Result>();
  const slowRead = stage({ ...read, params: { arguments: { path: 'slow' } } }, () => promise);
  await stage(write, next);
  resolve(saying('from before'));
  assert.equal(textOf(await slowRead), 'from before');
  assert.equal(textOf(await stage({ ...read, params: { arguments: { path: 'slow' } } }, next)), 'answer 6');
  assert.equal(seen.length, 6);
});

test('no earlier result is reused while a call that may change something is running', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { next, seen } = counting();
  const reading = madeCall({ cacheTtlMs: 1_000 });
  await stage(reading, next);
  const written = Promise.withResolvers<Result>();
  const writing = stage(madeCall({ tool: 'write', definition: setting }), () => written.promise);
  assert.equal(textOf(await stage(reading, next)), 'answer 2');
  written.resolve(saying('written'));
  await writing;
  assert.equal(seen.length, 2);
});

test('a call in a conversation neither reuses a result nor leaves one', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { next, seen } = counting();
  const params = { name: 'read', arguments: { path: 'a' } };
  for (const more of [
    {},
    { requestState: 'state' },
    { inputResponses: {} },
    { requestState: 'state', inputResponses: {} },
  ])
    await stage(madeCall({ cacheTtlMs: 1_000, params: { ...params, ...more } }), next);
  assert.equal(seen.length, 4);
});

test('setting a value back is done, not remembered', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { next, seen } = counting();
  const set = (value: number) =>
    madeCall({ cacheTtlMs: 1_000, definition: setting, tool: 'set', params: { arguments: { value } } });
  await stage(set(1), next);
  assert.notEqual(markOf(await stage(set(1), next)), undefined);
  await stage(set(2), next);
  await stage(set(1), next);
  assert.equal(seen.length, 3);
});

test('equal calls in progress share one; who leaves does not take it from the others', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { promise, resolve } = Promise.withResolvers<Result>();
  const { next, seen } = counting();
  const slow = (call: Call) => next(call).then(() => promise);
  const leaving = new AbortController();
  const call = (signal = new AbortController().signal) => madeCall({ cacheTtlMs: 1_000, agent: madeAgent({ signal }) });
  const first = stage(call(leaving.signal), slow);
  const second = stage(call(), slow);
  leaving.abort(new Error('left'));
  await assert.rejects(first, /left/);
  resolve(saying('shared'));
  const answer = await second;
  assert.deepEqual([textOf(answer), markOf(answer)], ['shared', { ageMs: 0, isShared: true }]);
  assert.equal(seen.length, 1);
  assert.equal(seen[0]?.agent.signal.aborted, false);
});

test('a call that everybody has left is given up, and the next one starts anew', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { next, seen } = counting();
  const hanging = async (call: Call) => {
    await next(call);
    return new Promise<Result>((_resolve, reject) =>
      call.agent.signal.addEventListener('abort', () => reject(call.agent.signal.reason)),
    );
  };
  const leaving = new AbortController();
  const call = madeCall({ cacheTtlMs: 1_000, agent: madeAgent({ signal: leaving.signal }) });
  const first = stage(call, hanging);
  leaving.abort(new Error('left'));
  await assert.rejects(first, /left/);
  assert.equal(seen[0]?.agent.signal.aborted, true);
  assert.equal(textOf(await stage({ ...call, agent: madeAgent() }, next)), 'answer 2');
});

test('a result that is too large is not kept, and many small ones push out the oldest', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const large = counting(() => saying('x'.repeat(300_000)));
  const call = madeCall({ cacheTtlMs: 1_000 });
  await stage(call, large.next);
  await stage(call, large.next);
  assert.equal(large.seen.length, 2);
  const { next, seen } = counting(() => saying('y'.repeat(200_000)));
  const numbered = (path: number) => ({ ...call, params: { arguments: { path } } });
  for (let at = 0; at < 200; at += 1) await stage(numbered(at), next);
  await stage(numbered(199), next);
  assert.equal(seen.length, 200);
  await stage(numbered(0), next);
  assert.equal(seen.length, 201);
});

test('a call after a change gets no result from before it', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { promise, resolve } = Promise.withResolvers<Result>();
  const { next, seen } = counting();
  const read = madeCall({ cacheTtlMs: 1_000 });
  const early = stage(read, () => promise);
  await stage(madeCall({ definition: writing, tool: 'write' }), next);
  const late = stage(read, next);
  resolve(saying('from before'));
  assert.equal(textOf(await early), 'from before');
  assert.equal(textOf(await late), 'answer 2');
  assert.equal(seen.length, 2);
});

test('a value that is set back while the first setting is still under way is set', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { promise, resolve } = Promise.withResolvers<Result>();
  const { next, seen } = counting();
  const set = (value: number) =>
    madeCall({ cacheTtlMs: 1_000, definition: setting, tool: 'set', params: { arguments: { value } } });
  const slow = stage(set(1), () => promise);
  await stage(set(2), next);
  await stage(set(1), next);
  resolve(saying('done'));
  await slow;
  assert.equal(seen.length, 2);
});

test('a result that needed an answer of the agent is neither kept nor shared', async () => {
  const { stage } = new ResultCache(new ManualClock());
  const { next, seen } = counting();
  const asked = async (call: Call) => {
    await call.agent.ask?.('elicitation/create', {}, call.agent.signal);
    return next(call);
  };
  const agent = madeAgent({ era: 'legacy', ask: async () => ({ action: 'accept' }) });
  const call = madeCall({ cacheTtlMs: 1_000, agent });
  const both = await Promise.all([stage(call, asked), stage(call, asked)]);
  await stage(call, asked);
  assert.equal(seen.length, 3);
  for (const result of both) assert.equal(markOf(result), undefined);
});

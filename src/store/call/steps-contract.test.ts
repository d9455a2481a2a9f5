/** The store's promises about calls over time: each is in the step in which it ended, as long as its row is there. */

import assert from 'node:assert/strict';
import { call, isIn, manyCalls, noon, order } from '../../../test/kit/many-calls.ts';
import { storeTest } from '../../../test/kit/store-test.ts';
import { type CallRecord, type CallScope, type CallSpan, type Store, Tally } from '../store.ts';

const hourMs = 60 * 60 * 1_000;
const span: CallSpan = { since: noon - 3 * hourMs, stepMs: hourMs, count: 4 };

/** Spread over more than the span. */
function hours(count: number): CallRecord[] {
  return manyCalls(count).map((one, at) => ({ ...one, at: noon - 5 * hourMs + Math.floor((at * 7 * hourMs) / count) }));
}

function expected(calls: readonly CallRecord[], scope: CallScope = {}): unknown[] {
  return Array.from({ length: span.count }, (_, step) => {
    const tally = new Tally();
    for (const one of calls)
      if (isIn(scope, one) && Math.floor((one.at - span.since) / span.stepMs) === step) tally.add(one);
    return figuresOf(tally);
  });
}

function figuresOf({ outcomes, cached, sumMicros, latency }: Tally) {
  return { outcomes: { ...outcomes }, cached, sumMicros, latency: [...latency.encode()] };
}

async function found(store: Store, scope: CallScope = {}): Promise<unknown[]> {
  const { steps, isComplete } = await store.listCallSteps(scope, span);
  assert.equal(isComplete, true);
  return steps.map(figuresOf);
}

storeTest('calls of all, of a server and of a tool are in the steps in which they ended', async (store) => {
  assert.deepEqual(await found(store), expected([]));
  // More than are read at once.
  const calls = hours(5_000);
  await store.appendRecords(calls);
  const scopes = [{}, { server: 'server-1' }, { server: 'server-1', tool: 'tool-13' }, { server: 'unknown' }];
  for (const scope of scopes) assert.deepEqual(await found(store, scope), expected(calls, scope));
  await store.rollUpCalls(order);
  assert.deepEqual(await found(store), expected(calls));
});

storeTest('the first moment of a step is in it, and that of the next one is not', async (store) => {
  const edges = [span.since - 1, span.since, span.since + hourMs - 1, span.since + hourMs, noon + hourMs];
  await store.appendRecords(edges.map((at) => call({ at })));
  const { steps } = await store.listCallSteps({}, span);
  assert.deepEqual(
    steps.map(({ count }) => count),
    [2, 1, 0, 0],
  );
});

storeTest('calls that were forgotten are gone at once', async (store) => {
  const calls = hours(500);
  await store.appendRecords(calls.slice(0, 300));
  await store.rollUpCalls(order);
  await store.appendRecords(calls.slice(300));
  const scope = { server: 'server-2' };
  await store.forgetCalls(scope);
  assert.deepEqual(await found(store), expected(calls.filter((one) => !isIn(scope, one))));
});

storeTest('calls from before a clock was set back are counted', async (store) => {
  await store.appendRecords([call({ at: noon }), call({ at: noon - 100 * hourMs }), call({ at: noon - hourMs })]);
  const { steps } = await store.listCallSteps({}, span);
  assert.deepEqual(
    steps.map(({ count }) => count),
    [0, 0, 1, 1],
  );
});

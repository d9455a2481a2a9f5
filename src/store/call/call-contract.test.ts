/** The store's promises about calls: each is counted exactly once, before and after it was rolled up. */

import assert from 'node:assert/strict';
import { call, dayMs, everything, expected, manyCalls, noon, order } from '../../../test/kit/many-calls.ts';
import { oddNames, storeTest } from '../../../test/kit/store-test.ts';
import { type CallRecord, type Store, Tally } from '../store.ts';

storeTest('calls are summed up by tool: outcomes, durations, and what was last', async (store, reopen) => {
  await store.appendRecords([call({ ms: 10, at: 1 }), call({ outcome: 'tool', error: 'No.', ms: 30, at: 2 })]);
  await store.appendRecords([call({ outcome: 'server', errorType: 'SERVER_DISCONNECTED', error: 'Gone.', at: 3 })]);
  await store.appendRecords([call({ isCached: true, ms: 0, at: 4 }), call({ outcome: 'arguments', at: 5 })]);
  const check = async (from: Store) => {
    const { tools, unrolled } = await from.listCallTallies(10);
    const [{ server, tool, tally } = none] = tools;
    assert.deepEqual([tools.length, unrolled, server, tool], [1, 5, 's', 'a']);
    assert.deepEqual({ ...tally.outcomes }, { ...new Tally().outcomes, ok: 2, tool: 1, server: 1, arguments: 1 });
    assert.deepEqual([tally.cached, tally.sumMicros, tally.latency.count], [1, 40_000, 2]);
    assert.deepEqual([tally.calledAt, tally.okAt, tally.failuresInARow], [5, 1, 2]);
    assert.deepEqual(tally.error, { at: 3, errorType: 'SERVER_DISCONNECTED', message: 'Gone.' });
  };
  await check(store);
  await check(await reopen());
});

storeTest('nothing to append is no mistake, and a batch that fails leaves nothing behind', async (store) => {
  await store.appendRecords([]);
  // No database keeps a time that is not a number.
  await assert.rejects(store.appendRecords([call(), call({ at: Number.NaN })]));
  await assert.rejects(store.appendRecords([call({ at: Number.NaN })]));
  assert.deepEqual(await store.listCallTallies(10), { tools: [], unrolled: 0 });
});

storeTest('a closed store takes no calls', async (store) => {
  await store.close();
  await assert.rejects(store.appendRecords([call()]), /not open/);
  await assert.rejects(store.rollUpCalls(order), /not open/);
});

storeTest('a roll-up changes no answer, and neither does a second one', async (store, reopen) => {
  const calls = manyCalls(3_000);
  await store.appendRecords(calls.slice(0, 1_000));
  await store.rollUpCalls(order);
  await store.appendRecords(calls.slice(1_000, 2_500));
  const before = await everything(store);
  assert.equal((await store.rollUpCalls(order)).rolledUp, 1_500);
  assert.deepEqual(await everything(store), before);
  assert.deepEqual(await store.rollUpCalls(order), { rolledUp: 0, removed: 0, left: 0 });
  await store.appendRecords(calls.slice(2_500));
  const after = await reopen();
  assert.deepEqual(await everything(after), expected(calls));
  assert.equal((await after.listCallTallies(1_000)).unrolled, 500);
});

storeTest('calls that come while others are rolled up are counted once', async (store) => {
  const calls = manyCalls(2_000);
  await store.appendRecords(calls.slice(0, 1_000));
  let at = 1_000;
  let isDone = false;
  const rolling = store.rollUpCalls(order).finally(() => {
    isDone = true;
  });
  while (!isDone && at < 2_000) await appendOne(store, calls[at++]);
  await rolling;
  await store.rollUpCalls(order);
  assert.deepEqual(await everything(store), expected(calls.slice(0, at)));
});

storeTest('two roll-ups at once are one', async (store) => {
  await store.appendRecords(manyCalls(500));
  const [first, second] = await Promise.all([store.rollUpCalls(order), store.rollUpCalls(order)]);
  assert.deepEqual(first, second);
  assert.deepEqual(await everything(store), expected(manyCalls(500)));
});

storeTest('every name comes back as it was given, rolled up or not', async (store, reopen) => {
  const calls = oddNames.map((name) => call({ tool: name, error: name, query: name, outcome: 'tool' }));
  await store.appendRecords(calls);
  assert.deepEqual(await everything(store), expected(calls));
  await store.rollUpCalls(order);
  await store.appendRecords(calls);
  assert.deepEqual(await everything(await reopen()), expected([...calls, ...calls]));
});

storeTest('a clock that jumps moves calls to other days and breaks nothing', async (store) => {
  const times = [noon, noon + 400 * dayMs, noon - 400 * dayMs, 0, noon];
  const calls = times.map((at, number) => call({ at, outcome: number === 4 ? 'tool' : 'ok', error: null }));
  for (const one of calls) {
    await store.appendRecords([one]);
    await store.rollUpCalls({ ...order, now: one.at });
  }
  assert.deepEqual(await everything(store), expected(calls));
  const { tools } = await store.listCallTallies(1);
  // The order in which they came counts, not their times.
  assert.deepEqual([tools[0]?.tally.calledAt, tools[0]?.tally.okAt], [noon, 0]);
});

storeTest('of too many tools those that were called last are listed', async (store) => {
  for (const tool of ['c', 'b', 'a', 'c']) {
    await store.appendRecords([call({ tool })]);
    await store.rollUpCalls(order);
  }
  const names = async (most: number) => (await store.listCallTallies(most)).tools.map(({ tool }) => tool);
  assert.deepEqual([await names(2), await names(0)], [['a', 'c'], []]);
  // Not rolled up yet, and still with all of its history.
  await store.appendRecords([call({ tool: 'b' })]);
  const { tools } = await store.listCallTallies(2);
  assert.equal(tools.find(({ tool }) => tool === 'b')?.tally.count, 2);
  assert.deepEqual(await names(2), ['c', 'b']);
});

storeTest('more tools than one read returns are each listed once', async (store) => {
  const calls = Array.from({ length: 1_001 }, (_, at) => call({ tool: `tool-${String(at).padStart(4, '0')}` }));
  await store.appendRecords([...calls, call({ tool: 'tool-0500' })]);
  await store.rollUpCalls(order);
  const { tools } = await store.listCallTallies(2);
  assert.deepEqual(
    tools.map(({ tool }) => tool),
    ['tool-1000', 'tool-0500'],
  );
});

storeTest('tools come in the order of their last calls, rolled up together or not at all', async (store) => {
  const calls = ['z', 'a', 'm', 'a', 'k', 'z'].map((tool, number) => call({ tool, at: noon - number }));
  const names = async () => (await store.listCallTallies(10)).tools.map(({ tool }) => tool);
  await store.appendRecords(calls);
  assert.deepEqual(await names(), ['m', 'a', 'k', 'z']);
  await store.rollUpCalls(order);
  assert.deepEqual(await names(), ['m', 'a', 'k', 'z']);
  await store.appendRecords([call({ tool: 'm' })]);
  assert.deepEqual(await names(), ['a', 'k', 'z', 'm']);
});

storeTest('the causes of a call are counted by kind, and found by either side', async (store) => {
  const led = { previous: 's:z', query: 'find it', suggestedFor: 't:x' };
  await store.appendRecords([call(led), call({ ...led, outcome: 'tool' }), call({ ...led, tool: 'b' })]);
  const check = async () => {
    const pair = { server: 's', tool: 'a', count: 2, ok: 1 };
    assert.deepEqual(await pairs(store, 'sequence', { first: 's:z', tool: 'a' }), [
      { kind: 'sequence', first: 's:z', ...pair, count: 1 },
    ]);
    assert.deepEqual(await pairs(store, 'query', { server: 's', tool: 'a' }), [
      { kind: 'query', first: 'find it', ...pair },
    ]);
    assert.equal((await pairs(store, 'suggestion', { first: 't:x' })).length, 2);
    assert.deepEqual(await pairs(store, 'suggestion', { first: 'unknown' }), []);
    assert.deepEqual(await pairs(store, 'query', { server: 'unknown' }), []);
  };
  await check();
  await store.rollUpCalls(order);
  await check();
});

storeTest(
  'the newest calls are listed in their order, rolled up or not, without those that were forgotten',
  async (store) => {
    const calls = Array.from({ length: 2_345 }, (_, at) =>
      call({ at, tool: at % 2 === 0 ? 'a' : 'b', query: `q${at}` }),
    );
    await store.appendRecords(calls);
    assert.deepEqual(await store.listRecentCalls(10_000), calls);
    assert.deepEqual(await store.listRecentCalls(3), calls.slice(-3));
    await store.rollUpCalls({ ...order, expireBefore: 0 });
    assert.deepEqual(await store.listRecentCalls(1_001), calls.slice(-1_001));
    await store.forgetCalls({ server: 's', tool: 'a' });
    await store.appendRecords([call({ tool: 'a', query: 'new' })]);
    const left = calls.filter(({ tool }) => tool === 'b');
    assert.deepEqual(await store.listRecentCalls(10_000), [...left, call({ tool: 'a', query: 'new' })]);
    await store.forgetCalls({});
    assert.deepEqual(await store.listRecentCalls(10_000), []);
  },
);

storeTest('rows of old calls are removed once they are in the sums, which stay', async (store, reopen) => {
  const calls = Array.from({ length: 1_000 }, (_, at) => call({ at: noon - at * (dayMs / 100) }));
  await store.appendRecords(calls);
  const { rolledUp, removed } = await store.rollUpCalls({ now: noon, expireBefore: noon - 5 * dayMs });
  assert.deepEqual([rolledUp, removed], [1_000, 499]);
  const after = await reopen();
  assert.deepEqual(await everything(after), expected(calls));
  assert.equal((await after.rollUpCalls({ now: noon, expireBefore: noon + 1 })).removed, 501);
  await after.appendRecords([call({ at: noon })]);
  assert.deepEqual(await everything(after), expected([...calls, call({ at: noon })]));
});

storeTest('rows that a wrong clock dated into the future are not kept until then', async (store) => {
  await store.appendRecords([call({ at: noon + 1_000 * dayMs }), call({ at: noon })]);
  assert.equal((await store.rollUpCalls({ now: noon, expireBefore: noon - dayMs })).removed, 1);
});

storeTest('a clock that is wrong for a while removes no rows that are kept by the right one', async (store) => {
  await store.appendRecords(Array.from({ length: 500 }, () => call({ at: noon })));
  const wrong = noon - 2 * dayMs;
  assert.equal((await store.rollUpCalls({ now: wrong, expireBefore: wrong - 7 * dayMs })).removed, 0);
  assert.equal((await store.rollUpCalls({ now: noon, expireBefore: noon - 7 * dayMs })).removed, 0);
});

const none = { server: '', tool: '', tally: new Tally() };

async function appendOne(store: Store, one: CallRecord | undefined) {
  for (;;) {
    try {
      return await store.appendRecords(one === undefined ? [] : [one]);
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'STORE_BUSY');
    }
  }
}

async function pairs(store: Store, ...query: Parameters<Store['listCallPairs']>) {
  return store.listCallPairs(...query);
}

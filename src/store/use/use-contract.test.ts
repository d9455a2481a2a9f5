/** The store's promises about uses. */

import assert from 'node:assert/strict';
import { item, listing, oddNames, storeTest } from '../../../test/kit/store-test.ts';
import { halfLifeMs, type Store, type StoredUse, type StoreEvent } from '../store.ts';

storeTest('uses are added, by query and tool, and survive', async (store, reopen) => {
  await store.addUses([use('q', 's:a'), use('q', 's:b'), use('r', 's:a')]);
  const more = { good: 0.1 + 0.2, bad: 3 };
  await store.addUses([use('q', 's:b', more), use('r', 's:b', { at: Date.UTC(2126, 0, 1) })]);
  const after = await reopen();
  const sum = use('q', 's:b', { good: 1.5 + more.good, bad: 0.25 + more.bad });
  const late = use('r', 's:b', { at: Date.UTC(2126, 0, 1) });
  assert.deepEqual(await sorted(after), [use('q', 's:a'), sum, use('r', 's:a'), late]);
});

storeTest('a use that is given twice is added twice', async (store) => {
  await store.addUses([use('q', 's:a'), use('q', 's:a', { good: 7 })]);
  assert.deepEqual(await store.listUses(), [use('q', 's:a', { good: 8.5, bad: 0.5 })]);
});

storeTest('counts are added as of the later time, to which the others have faded', async (store) => {
  await store.addUses([use('q', 's:a', { good: 4, bad: 2, at: halfLifeMs })]);
  await store.addUses([use('q', 's:a', { good: 1, bad: 0, at: 2 * halfLifeMs })]);
  assert.deepEqual(await store.listUses(), [use('q', 's:a', { good: 3, bad: 1, at: 2 * halfLifeMs })]);
  await store.addUses([use('q', 's:a', { good: 0, bad: 4, at: halfLifeMs })]);
  assert.deepEqual(await store.listUses(), [use('q', 's:a', { good: 3, bad: 3, at: 2 * halfLifeMs })]);
});

storeTest('of two who learn at once, neither loses what the other adds', async (store) => {
  const learn = async () => {
    for (let turn = 0; turn < 10; turn += 1) await store.addUses([use('q', 's:a', { good: 1, bad: 0 })]);
  };
  await Promise.all([learn(), learn()]);
  assert.deepEqual(await store.listUses(), [use('q', 's:a', { good: 20, bad: 0 })]);
});

storeTest('uses are removed by query and tool, and those that are not there are passed over', async (store) => {
  await store.addUses([use('q', 's:a'), use('q', 's:b'), use('r', 's:a'), use('r', 's:b')]);
  await store.removeUses([use('q', 's:a'), { query: 'r', toolKey: 's:b' }, { query: 'unknown', toolKey: 's:a' }]);
  assert.deepEqual(await sorted(store), [use('q', 's:b'), use('r', 's:a')]);
});

storeTest('nothing to add or to remove is no mistake', async (store) => {
  await store.addUses([use('q', 's:a')]);
  await store.addUses([]);
  await store.removeUses([]);
  assert.deepEqual(await store.listUses(), [use('q', 's:a')]);
});

storeTest('odd queries and tools stay apart and come back to the letter', async (store, reopen) => {
  const odd = oddNames.flatMap((name, at) => [use(name, 's:a', { at }), use('q', name, { at })]);
  await store.addUses(odd);
  const after = await reopen();
  assert.deepEqual(await sorted(after), odd.toSorted(compare));
  await after.removeUses(odd.slice(2));
  assert.deepEqual(await sorted(after), odd.slice(0, 2).toSorted(compare));
});

storeTest('uses outlive the server of their tool', async (store) => {
  await store.saveServer({ name: 's', spec: {}, addedAt: 1 });
  await store.applyListing('s', listing([item('a')]));
  await store.addUses([use('q', 's:a')]);
  await store.removeServer('s');
  assert.deepEqual(await store.listUses(), [use('q', 's:a')]);
});

storeTest('5,000 uses are added, added to and removed', async (store) => {
  const many = (good: number) =>
    Array.from({ length: 5_000 }, (_, at) => use(`query ${at % 100}`, `s:${at}`, { good, bad: 0 }));
  await store.addUses(many(1));
  await store.addUses(many(1));
  assert.deepEqual(await sorted(store), many(2).toSorted(compare));
  await store.removeUses(many(2).slice(1));
  assert.deepEqual(await store.listUses(), [use('query 0', 's:0', { good: 2, bad: 0 })]);
});

storeTest('a batch that fails leaves nothing behind', async (store) => {
  const batch = Array.from({ length: 300 }, (_, at) => use('q', `s:${at}`));
  // No database keeps a count that is not a number.
  await assert.rejects(store.addUses([...batch, use('q', 's:z', { good: Number.NaN })]));
  assert.deepEqual(await store.listUses(), []);
});

storeTest('uses are not told', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.addUses([use('q', 's:a')]);
  await store.removeUses([use('q', 's:a')]);
  assert.deepEqual(told, []);
});

function use(query: string, toolKey: string, more: Partial<StoredUse> = {}): StoredUse {
  return { query, toolKey, good: 1.5, bad: 0.25, at: 1_000, ...more };
}

async function sorted(store: Store): Promise<StoredUse[]> {
  return (await store.listUses()).sort(compare);
}

function compare(a: StoredUse, b: StoredUse): number {
  if (a.query !== b.query) return a.query < b.query ? -1 : 1;
  return a.toolKey < b.toolKey ? -1 : 1;
}

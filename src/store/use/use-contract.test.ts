/** The store's promises about uses. */

import assert from 'node:assert/strict';
import { item, listing, oddNames, storeTest } from '../../../test/kit/store-test.ts';
import type { Store, StoredUse, StoreEvent } from '../store.ts';

storeTest('uses are added, replaced by query and tool, and survive', async (store, reopen) => {
  await store.saveUses([use('q', 's:a'), use('q', 's:b'), use('r', 's:a')]);
  const newer = use('q', 's:b', { good: 0.1 + 0.2, bad: 3, at: Date.UTC(2126, 0, 1) });
  await store.saveUses([newer, use('r', 's:b')]);
  const after = await reopen();
  assert.deepEqual(await sorted(after), [use('q', 's:a'), newer, use('r', 's:a'), use('r', 's:b')]);
});

storeTest('of a use that is given twice the last one counts', async (store) => {
  await store.saveUses([use('q', 's:a'), use('q', 's:a', { good: 7 })]);
  assert.deepEqual(await store.listUses(), [use('q', 's:a', { good: 7 })]);
});

storeTest('uses are removed by query and tool, and those that are not there are passed over', async (store) => {
  await store.saveUses([use('q', 's:a'), use('q', 's:b'), use('r', 's:a'), use('r', 's:b')]);
  await store.removeUses([use('q', 's:a'), { query: 'r', toolKey: 's:b' }, { query: 'unknown', toolKey: 's:a' }]);
  assert.deepEqual(await sorted(store), [use('q', 's:b'), use('r', 's:a')]);
});

storeTest('nothing to save or to remove is no mistake', async (store) => {
  await store.saveUses([use('q', 's:a')]);
  await store.saveUses([]);
  await store.removeUses([]);
  assert.deepEqual(await store.listUses(), [use('q', 's:a')]);
});

storeTest('odd queries and tools stay apart and come back to the letter', async (store, reopen) => {
  const odd = oddNames.flatMap((name, at) => [use(name, 's:a', { at }), use('q', name, { at })]);
  await store.saveUses(odd);
  const after = await reopen();
  assert.deepEqual(await sorted(after), odd.toSorted(compare));
  await after.removeUses(odd.slice(2));
  assert.deepEqual(await sorted(after), odd.slice(0, 2).toSorted(compare));
});

storeTest('uses outlive the server of their tool', async (store) => {
  await store.saveServer({ name: 's', spec: {}, addedAt: 1 });
  await store.applyListing('s', listing([item('a')]));
  await store.saveUses([use('q', 's:a')]);
  await store.removeServer('s');
  assert.deepEqual(await store.listUses(), [use('q', 's:a')]);
});

storeTest('5,000 uses are saved, replaced and removed', async (store) => {
  const many = (good: number) =>
    Array.from({ length: 5_000 }, (_, at) => use(`query ${at % 100}`, `s:${at}`, { good }));
  await store.saveUses(many(1));
  await store.saveUses(many(2));
  assert.deepEqual(await sorted(store), many(2).toSorted(compare));
  await store.removeUses(many(2).slice(1));
  assert.deepEqual(await store.listUses(), [use('query 0', 's:0', { good: 2 })]);
});

storeTest('a batch that fails leaves nothing behind', async (store) => {
  const batch = Array.from({ length: 300 }, (_, at) => use('q', `s:${at}`));
  // No database keeps a count that is not a number.
  await assert.rejects(store.saveUses([...batch, use('q', 's:z', { good: Number.NaN })]));
  assert.deepEqual(await store.listUses(), []);
});

storeTest('uses are not told', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.saveUses([use('q', 's:a')]);
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

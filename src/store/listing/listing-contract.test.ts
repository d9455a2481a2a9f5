/** The store's promises about listings. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { item, listing, oddNames, storeTest } from '../../../test/kit/store-test.ts';
import type { ListedItem, Store, StoreEvent } from '../store.ts';

const sum = { added: [], updated: [], removed: [], unchanged: 0 };

storeTest('a listing comes back whole and in order, and survives', async (store, reopen) => {
  const items = [
    item('b'),
    item('a'),
    item('p', 'f', 'prompt'),
    item('file:///x', 'f', 'resource'),
    item('a', 'f', 'template'),
  ];
  const full = listing(items, {
    instructions: 'Use\0it \ud800',
    serverInfo: null,
    capabilities: { tools: { listChanged: true } },
  });
  await store.applyListing('zulu', listing([]));
  await store.applyListing('alpha', full);
  const [first, second, ...others] = await (await reopen()).listListings();
  const sorted = [items[2], items[3], items[4], items[1], items[0]];
  assert.deepEqual(first, { ...full, items: sorted, server: 'alpha', staleSince: null, staleReason: null });
  assert.deepEqual([second?.server, second?.items, others], ['zulu', [], []]);
});

storeTest('the difference counts tools, by fingerprint', async (store) => {
  assert.deepEqual(await store.applyListing('s', listing([item('a'), item('b'), item('c')])), {
    ...sum,
    added: ['a', 'b', 'c'],
  });
  assert.deepEqual(await store.applyListing('s', listing([item('c'), item('b', 'f2'), item('d')])), {
    added: ['d'],
    updated: ['b'],
    removed: ['a'],
    unchanged: 1,
  });
  assert.deepEqual(await store.applyListing('s', listing([])), { ...sum, removed: ['b', 'c', 'd'] });
});

storeTest('other kinds are kept and recorded, but not counted', async (store) => {
  const others = [item('a', 'f', 'prompt'), item('a', 'f', 'resource')];
  assert.deepEqual(await store.applyListing('s', listing([item('a'), ...others])), { ...sum, added: ['a'] });
  assert.deepEqual(await store.applyListing('s', listing([item('a')])), { ...sum, unchanged: 1 });
  assert.equal((await store.listListings())[0]?.items.length, 1);
  assert.equal((await store.listChanges({})).length, 5);
});

storeTest('the same listing again renews its time and head and nothing else', async (store) => {
  await store.applyListing('s', listing([item('a')]));
  await store.applyListing('s', listing([item('a')], { listedAt: 2_000, instructions: 'new' }));
  const [found] = await store.listListings();
  assert.deepEqual([found?.listedAt, found?.instructions], [2_000, 'new']);
  assert.equal((await store.listChanges({})).length, 1);
});

storeTest('an item that is named twice counts once, as first named', async (store) => {
  assert.deepEqual(await store.applyListing('s', listing([item('a'), item('a', 'f2')])), { ...sum, added: ['a'] });
  assert.equal((await store.listListings())[0]?.items[0]?.fingerprint, 'f1');
});

storeTest('odd names stay apart and come back to the letter', async (store, reopen) => {
  const diff = await store.applyListing('constructor', listing(oddNames.map((name) => item(name))));
  assert.deepEqual(diff.added, oddNames);
  const again = await (await reopen()).applyListing('constructor', listing(oddNames.map((name) => item(name))));
  assert.deepEqual(again, { ...sum, unchanged: oddNames.length });
});

storeTest('removing a listing removes it alone', async (store) => {
  await store.applyListing('a', listing([item('one')]));
  await store.applyListing('b', listing([item('one')]));
  await store.removeListing('a');
  await store.removeListing('unknown');
  assert.deepEqual(
    (await store.listListings()).map(({ server, items }) => [server, items.length]),
    [['b', 1]],
  );
  assert.deepEqual((await store.applyListing('a', listing([item('one')]))).added, ['one']);
});

storeTest('any sequence of listings ends as its last one', async (store) => {
  const items = fc.uniqueArray(
    fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), fingerprint: fc.constantFrom('f1', 'f2') }),
    { selector: ({ name }) => name },
  );
  let known: readonly ListedItem[] = [];
  const step = fc.asyncProperty(items, async (given) => {
    const listed = given.map(({ name, fingerprint }) => item(name, fingerprint));
    const diff = await store.applyListing('s', listing(listed));
    assert.equal(diff.added.length + diff.updated.length + diff.unchanged, listed.length);
    assert.equal(diff.removed.length + diff.updated.length + diff.unchanged, known.length);
    known = listed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    assert.deepEqual((await store.listListings())[0]?.items, known);
  });
  await fc.assert(step, { numRuns: 60, endOnFailure: true });
});

storeTest('a stale listing keeps its items, the first time and the last reason', async (store, reopen) => {
  await store.applyListing('s', listing([item('a')]));
  await store.markStale('s', 'It did not answer.', 5_000);
  await store.markStale('s', 'It is gone.', 6_000);
  const after = await reopen();
  const [found] = await after.listListings();
  assert.deepEqual([found?.staleSince, found?.staleReason, found?.items.length], [5_000, 'It is gone.', 1]);
  await after.applyListing('s', listing([item('a')], { listedAt: 7_000 }));
  const [fresh] = await after.listListings();
  assert.deepEqual([fresh?.staleSince, fresh?.staleReason], [null, null]);
});

storeTest('a server without a listing cannot be stale', async (store) => {
  await store.markStale('unknown', 'It did not answer.', 1);
  assert.deepEqual(await store.listListings(), []);
});

storeTest('a change is told once, after it can be read; no change is not told', async (store) => {
  const told: StoreEvent[] = [];
  const seen: Promise<string>[] = [];
  store.events.on((event) => {
    told.push(event);
    seen.push(summaryOf(store));
  });
  const acts = [
    () => store.applyListing('s', listing([item('a')])),
    () => store.applyListing('s', listing([item('a')], { listedAt: 2_000 })),
    () => store.markStale('s', 'why', 1),
    () => store.markStale('s', 'why', 2),
    () => store.markStale('unknown', 'why', 2),
    () => store.applyListing('s', listing([item('a')])),
    () => store.removeListing('s'),
    () => store.removeListing('s'),
  ];
  for (const act of acts) {
    await act();
    // Somebody who reads slowly would see the next change already.
    await Promise.all(seen);
  }
  assert.deepEqual(await Promise.all(seen), ['s:1', 's:1 stale', 's:1', '']);
  assert.deepEqual(told, Array(4).fill({ type: 'catalog', server: 's' }));
});

storeTest('a write that fails is not told and leaves nothing behind', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  const circular: Record<string, never> = {};
  Object.assign(circular, { self: circular });
  const items = Array.from({ length: 300 }, (_, at) => item(`tool-${at}`));
  const bad = { ...item('z'), definition: circular };
  await assert.rejects(store.applyListing('s', listing([...items, bad])), TypeError);
  assert.deepEqual([told, await store.listListings(), await store.listChanges({})], [[], [], []]);
  await store.applyListing('s', listing(items));
  assert.equal(told.length, 1);
});

async function summaryOf(store: Store): Promise<string> {
  const listings = await store.listListings();
  return listings.map((one) => `${one.server}:${one.items.length}${one.staleSince === null ? '' : ' stale'}`).join();
}

storeTest('5,000 items are listed, changed and removed', async (store) => {
  const items = Array.from({ length: 5_000 }, (_, at) => item(`tool-${String(at).padStart(4, '0')}`));
  assert.equal((await store.applyListing('big', listing(items))).added.length, 5_000);
  const changed = items.map((one, at) => (at % 2 === 0 ? { ...one, fingerprint: 'f2' } : one)).slice(1_000);
  const diff = await store.applyListing('big', listing(changed));
  const counts = [diff.added.length, diff.updated.length, diff.removed.length, diff.unchanged];
  assert.deepEqual(counts, [0, 2_000, 1_000, 2_000]);
  assert.deepEqual((await store.listListings())[0]?.items, changed);
});

storeTest('200 listings at once are applied one after the other, in order', async (store) => {
  const calls = Array.from({ length: 200 }, (_, at) => {
    const shared = store.applyListing('shared', listing([item('same', `f${at}`), item(`only-${at}`)]));
    return Promise.all([shared, store.applyListing(`own-${at}`, listing([item('a')]))]);
  });
  for (const [at, [diff]] of (await Promise.all(calls)).entries()) {
    const expected = { added: [`only-${at}`], updated: ['same'], removed: [`only-${at - 1}`], unchanged: 0 };
    if (at > 0) assert.deepEqual(diff, expected);
  }
  const listings = await store.listListings();
  assert.equal(listings.length, 201);
  assert.deepEqual(
    listings.at(-1)?.items.map(({ name }) => name),
    ['only-199', 'same'],
  );
  const steps = (await store.listChanges({ server: 'shared', name: 'same', limit: 500 })).toReversed();
  assert.deepEqual(
    steps.map(({ newFingerprint }) => newFingerprint),
    calls.map((_, at) => `f${at}`),
  );
  assert.deepEqual(
    steps.slice(1).map(({ oldFingerprint }) => oldFingerprint),
    calls.slice(1).map((_, at) => `f${at}`),
  );
});

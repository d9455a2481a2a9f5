/** The store's promises about vectors. */

import assert from 'node:assert/strict';
import { item, listing, storeTest } from '../../../test/kit/store-test.ts';
import type { Store, StoredVector, StoreEvent } from '../store.ts';

storeTest('vectors are added, replaced, listed by model and survive', async (store, reopen) => {
  await store.saveVectors('m1', [vector('a', [1]), vector('b', [2])]);
  await store.saveVectors('m2', [vector('a', [3])]);
  await store.saveVectors('m1', [vector('b', [4, 5], 0.25), vector('c', [6])]);
  const after = await reopen();
  assert.deepEqual(await sorted(after, 'm1'), [vector('a', [1]), vector('b', [4, 5], 0.25), vector('c', [6])]);
  assert.deepEqual(await sorted(after, 'm2'), [vector('a', [3])]);
  assert.deepEqual(await after.listVectors('unknown'), []);
});

storeTest('every byte and the scale come back as they were given', async (store, reopen) => {
  const bytes = Array.from({ length: 256 }, (_, at) => at);
  const numbers = Int8Array.from({ length: 256 }, (_, at) => at - 128);
  // A view that begins in the middle of its buffer, as one cut from a bigger one does.
  const view = new Uint8Array(Uint8Array.from([9, ...bytes, 9]).buffer, 1, 256);
  const scale = 0.1 + 0.2;
  await store.saveVectors('m', [
    { fingerprint: 'numbers', values: new Uint8Array(numbers.buffer), scale: Number.MIN_VALUE },
    { fingerprint: 'view', values: view, scale },
  ]);
  const [first, second] = await sorted(await reopen(), 'm');
  assert.deepEqual(first, vector('numbers', [...bytes.slice(128), ...bytes.slice(0, 128)], Number.MIN_VALUE));
  assert.deepEqual(second, vector('view', bytes, scale));
});

storeTest('of a vector that is given twice the last one counts', async (store) => {
  await store.saveVectors('m', [vector('a', [1]), vector('b', [2]), vector('a', [3])]);
  assert.deepEqual(await sorted(store, 'm'), [vector('a', [3]), vector('b', [2])]);
});

storeTest(
  'vectors are removed by model and fingerprint, and those that are not there are passed over',
  async (store) => {
    await store.saveVectors('m1', [vector('a'), vector('b'), vector('c')]);
    await store.saveVectors('m2', [vector('a')]);
    await store.removeVectors('m1', ['a', 'c', 'unknown']);
    await store.removeVectors('unknown', ['b']);
    assert.deepEqual([await fingerprints(store, 'm1'), await fingerprints(store, 'm2')], [['b'], ['a']]);
  },
);

storeTest('the vectors of other models are removed and counted', async (store) => {
  await store.saveVectors('old', [vector('a'), vector('b')]);
  await store.saveVectors('older', [vector('a')]);
  await store.saveVectors('new', [vector('a')]);
  assert.equal(await store.removeVectorsOfOtherModels('new'), 3);
  assert.equal(await store.removeVectorsOfOtherModels('new'), 0);
  assert.deepEqual([await fingerprints(store, 'new'), await fingerprints(store, 'old')], [['a'], []]);
});

storeTest('nothing to save or to remove is no mistake', async (store) => {
  await store.saveVectors('m', []);
  await store.removeVectors('m', []);
  assert.equal(await store.removeVectorsOfOtherModels('m'), 0);
});

storeTest('vectors outlive the server whose texts they are of', async (store) => {
  await store.saveServer({ name: 's', spec: {}, addedAt: 1 });
  await store.applyListing('s', listing([item('one', 'a')]));
  await store.saveVectors('m', [vector('a')]);
  await store.removeServer('s');
  assert.deepEqual(await fingerprints(store, 'm'), ['a']);
});

storeTest('10,000 vectors are saved, replaced, listed and removed', async (store, reopen) => {
  const many = (scale: number) => Array.from({ length: 10_000 }, (_, at) => vector(nameOf(at), [at, at >> 8], scale));
  await store.saveVectors('m', many(1));
  await store.saveVectors('m', many(2));
  const after = await reopen();
  assert.deepEqual(await sorted(after, 'm'), many(2));
  await after.removeVectors(
    'm',
    Array.from({ length: 7_500 }, (_, at) => nameOf(at)),
  );
  assert.deepEqual(await sorted(after, 'm'), many(2).slice(7_500));
  assert.equal(await after.removeVectorsOfOtherModels('n'), 2_500);
  assert.deepEqual(await after.listVectors('m'), []);
});

storeTest('a batch that fails leaves nothing behind', async (store) => {
  await store.saveVectors('m', [vector('v-0000', [1])]);
  const batch = Array.from({ length: 300 }, (_, at) => vector(nameOf(at), [2]));
  // No database keeps a scale that is not a number.
  await assert.rejects(store.saveVectors('m', [...batch, vector('z', [2], Number.NaN)]));
  assert.deepEqual(await store.listVectors('m'), [vector('v-0000', [1])]);
});

storeTest('vectors are not told', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.saveVectors('m', [vector('a'), vector('b')]);
  await store.removeVectors('m', ['a']);
  await store.removeVectorsOfOtherModels('n');
  assert.deepEqual(told, []);
});

function vector(fingerprint: string, values: readonly number[] = [1, 2, 3], scale = 0.5): StoredVector {
  return { fingerprint, values: Uint8Array.from(values), scale };
}

function nameOf(at: number): string {
  return `v-${String(at).padStart(4, '0')}`;
}

async function sorted(store: Store, model: string): Promise<StoredVector[]> {
  return (await store.listVectors(model)).sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
}

async function fingerprints(store: Store, model: string): Promise<string[]> {
  return (await sorted(store, model)).map(({ fingerprint }) => fingerprint);
}

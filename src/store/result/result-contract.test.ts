/** The store's promises about large results that every gateway can read. */

import assert from 'node:assert/strict';
import { oddNames, storeTest } from '../../../test/kit/store-test.ts';
import type { ResultCopy, Store } from '../store.ts';

const minuteMs = 60_000;
const limits = { mostBytes: 1_000, ttlMs: minuteMs };

storeTest('a finished result is found by its principal alone, byte for byte', async (store, reopen) => {
  const chunks = [Uint8Array.from({ length: 300_000 }, (_, at) => at % 256), Uint8Array.of(0, 255)];
  const result = shared({ bytes: 300_002, manifestBytes: 7 });
  for (const [number, bytes] of chunks.entries()) {
    assert.equal(await store.findResult(result.id, 'ann'), undefined, 'not before it is whole');
    assert.equal(await store.addResultChunk(result, number, bytes, { mostBytes: 1_000_000, ttlMs: minuteMs }), true);
  }
  const again = await reopen();
  const { ageMs, leftMs, ...found } = (await again.findResult(result.id, 'ann')) ?? assert.fail('it is not found');
  assert.deepEqual(found, result);
  assert.ok(ageMs >= 0 && leftMs > 0 && leftMs <= minuteMs, `${ageMs} ${leftMs}`);
  assert.deepEqual(await Promise.all([0, 1, 2].map((at) => again.readResultChunk(result.id, at))), [
    ...chunks,
    undefined,
  ]);
  assert.equal(await again.findResult(result.id, 'ben'), undefined);
  assert.equal(await again.findResult('unknown', 'ann'), undefined);
});

storeTest('a principal lists its own results, the newest first; odd names stay apart', async (store) => {
  const names = [...oddNames, 'ann'];
  for (const [at, principal] of names.entries())
    for (const turn of ['a', 'b']) await keep(store, { id: `${turn}-${at}`, principal });
  for (const [at, principal] of names.entries()) {
    const listed = await store.listResults(principal);
    assert.deepEqual(new Set(listed.map(({ id }) => id)), new Set([`a-${at}`, `b-${at}`]), principal);
    assert.ok((listed[0]?.ageMs ?? 0) <= (listed[1]?.ageMs ?? 0));
  }
});

storeTest('a result whose time is over is not found, and is removed with its chunks', async (store) => {
  await keep(store, { id: 'over' }, { ttlMs: 0 });
  await keep(store, { id: 'stays' });
  assert.equal(await store.findResult('over', 'ann'), undefined);
  assert.deepEqual(
    (await store.listResults('ann')).map(({ id }) => id),
    ['stays'],
  );
  await store.removeExpiredResults();
  assert.equal(await store.removeExpiredResults(), 0);
  assert.equal(await store.readResultChunk('over', 0), undefined);
  assert.ok(await store.readResultChunk('stays', 0));
});

storeTest('a result that was removed takes no more chunks', async (store) => {
  const slow = shared({ id: 'slow', bytes: 10 });
  assert.equal(await store.addResultChunk(slow, 0, Uint8Array.of(1), limits), true);
  assert.equal(await store.addResultChunk(slow, 1, Uint8Array.of(1), limits), true);
  await keep(store, { id: 'large', bytes: 995 });
  assert.equal(await store.addResultChunk(slow, 2, Uint8Array.of(1), limits), false);
  assert.equal(await store.readResultChunk('slow', 0), undefined);
});

storeTest('a result can be begun again, with other chunks', async (store) => {
  await store.addResultChunk(shared({ bytes: 2 }), 0, Uint8Array.of(1), limits);
  await keep(store, { bytes: 1 });
  assert.deepEqual(await store.readResultChunk('a', 0), Uint8Array.of(0));
});

storeTest('a result that is whole stays as it is, although its gateway begins it again', async (store) => {
  const result = shared({ bytes: 2 });
  const add = (number: number, ttlMs = minuteMs) =>
    store.addResultChunk(result, number, Uint8Array.of(number), { ...limits, ttlMs });
  assert.deepEqual([await add(0), await add(1)], [true, true]);
  assert.deepEqual([await add(0), await add(1)], [false, false]);
  assert.ok(await store.findResult('a', 'ann'));
  assert.deepEqual(await Promise.all([0, 1].map((number) => store.readResultChunk('a', number))), [
    Uint8Array.of(0),
    Uint8Array.of(1),
  ]);
  await keep(store, { id: 'over' }, { ttlMs: 0 });
  await keep(store, { id: 'over' });
  assert.ok(await store.findResult('over', 'ann'), 'unless its time was over');
});

storeTest('over the limit the oldest of the principal that stores the most go', async (store) => {
  const ids = async (principal: string) => (await store.listResults(principal)).map(({ id }) => id).sort();
  for (const id of ['a1', 'a2', 'a3']) await keep(store, { id, bytes: 300 });
  await keep(store, { id: 'b1', principal: 'ben', bytes: 200 });
  assert.deepEqual([await ids('ann'), await ids('ben')], [['a2', 'a3'], ['b1']]);
  await keep(store, { id: 'b2', principal: 'ben', bytes: 350 });
  assert.deepEqual([await ids('ann'), await ids('ben')], [['a3'], ['b1', 'b2']], 'ann still had more');
  await keep(store, { id: 'c1', principal: 'cid', bytes: 1_000 });
  assert.deepEqual([await ids('ann'), await ids('ben'), await ids('cid')], [[], [], ['c1']]);
});

storeTest('others make room if the principal with the most results has no older one', async (store) => {
  await keep(store, { id: 'a1', bytes: 100 });
  await keep(store, { id: 'b1', principal: 'ben', bytes: 500 });
  await keep(store, { id: 'a2', bytes: 900 });
  assert.equal(await store.findResult('a1', 'ann'), undefined);
  assert.equal(await store.findResult('b1', 'ben'), undefined);
  assert.ok(await store.findResult('a2', 'ann'));
});

storeTest('a result over the limit is refused, and removes no other one', async (store) => {
  await keep(store, { id: 'a1', bytes: 400 });
  await keep(store, { id: 'b1', principal: 'ben', bytes: 400 });
  const large = shared({ id: 'large', bytes: 1_001 });
  assert.equal(await store.addResultChunk(large, 0, new Uint8Array(500), limits), false);
  assert.equal(await store.addResultChunk(large, 1, new Uint8Array(501), limits), false);
  assert.equal(await store.readResultChunk('large', 0), undefined);
  for (const [id, principal] of [
    ['a1', 'ann'],
    ['b1', 'ben'],
  ] as const)
    assert.ok(await store.findResult(id, principal), id);
});

storeTest('many small results make room for a large one', async (store) => {
  for (let at = 0; at < 130; at += 1) await keep(store, { id: `small-${String(at).padStart(3, '0')}`, bytes: 5 });
  await keep(store, { id: 'large', bytes: 990 });
  const left = (await store.listResults('ann')).map(({ id }) => id);
  assert.deepEqual(left.length, 3, left.join());
});

function shared(parts: Partial<ResultCopy>): ResultCopy {
  return { id: 'a', principal: 'ann', bytes: 1, manifestBytes: 0, ...parts };
}

async function keep(store: Store, parts: Partial<ResultCopy>, { ttlMs = minuteMs } = {}): Promise<void> {
  const result = shared(parts);
  await store.addResultChunk(result, 0, new Uint8Array(result.bytes), { ...limits, ttlMs });
}

/** The updater skips texts that a service refuses, and removes vectors that no tool has. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MemoryVectors } from '../../test/kit/memory-vectors.ts';
import { spareVectors, VectorHarness } from '../../test/kit/vector-harness.ts';
import { GatewayError } from '../base/errors.ts';

/** As a service does that takes no text with this word in it. */
function refusesAll(word: string, status: number): (texts: readonly string[]) => Error | undefined {
  const error = new GatewayError('MODEL_FAILED', `It answered HTTP ${status}.`, { data: { reason: 'status', status } });
  return (texts) => (texts.some((text) => text.includes(word)) ? error : undefined);
}

test('texts that the service refuses are found and left out, told once and not stored; the others get their vectors', async () => {
  for (const status of [400, 413, 422]) {
    const harness = new VectorHarness();
    harness.model.refusal = refusesAll('odd', status);
    for (let at = 0; at < 100; at += 1) harness.want(`t${at}`, at === 17 || at === 80 ? `odd ${at}` : `plain ${at}`);
    await harness.updater.load();
    assert.deepEqual(harness.updater.counts, { ready: 98, waiting: 0, made: 100 });
    assert.equal(harness.store.of('scripted').size, 98);
    assert.equal(harness.warnings.length, 1, harness.said.join());
    assert.deepEqual([harness.updater.problem, harness.clock.waits], [null, []]);
    const { batches } = harness.model;
    assert.ok(batches < 40, `${batches}`);
    harness.want('again', 'odd 17');
    await harness.quiet();
    assert.equal(harness.model.batches, batches, 'it is remembered');
  }
});

test('a single text that is refused is left out as well', async () => {
  const harness = new VectorHarness();
  harness.model.refusal = refusesAll('odd', 400);
  harness.want('a', 'odd');
  await harness.updater.load();
  assert.deepEqual(harness.updater.counts, { ready: 0, waiting: 0, made: 1 });
});

test('a refusal that is not about the text makes the model rest, and nothing is left out', async () => {
  for (const [word, status] of [
    ['', 404],
    ['t1', 401],
    ['t1', 403],
    ['t1', 429],
    ['t1', 500],
  ] as const) {
    const harness = new VectorHarness();
    harness.model.refusal = refusesAll(word, status);
    for (const key of ['t1', 't2']) harness.want(key);
    await harness.updater.load();
    assert.deepEqual(harness.updater.counts, { ready: 0, waiting: 2, made: 0 }, `${status}`);
    assert.ok(harness.model.batches <= 2);
    harness.model.refusal = undefined;
    await harness.clock.advance(30_000);
    assert.equal(harness.updater.counts.ready, 2);
  }
});

test('a failure while the culprit is looked for costs nothing of what was made', async () => {
  const harness = new VectorHarness();
  const refused = refusesAll('t3', 400);
  harness.model.refusal = (texts) => (texts.join() === 'text of t3,text of t4' ? new Error('Down.') : refused(texts));
  for (const key of ['t1', 't2', 't3', 't4']) harness.want(key);
  await harness.updater.load();
  assert.deepEqual(harness.updater.counts, { ready: 2, waiting: 2, made: 2 });
  harness.model.refusal = refused;
  await harness.clock.advance(30_000);
  assert.deepEqual(harness.updater.counts, { ready: 3, waiting: 0, made: 4 });
});

test('vectors that no tool has are kept up to a limit and then removed from the store', async () => {
  const store = new MemoryVectors();
  store.rows.set('scripted', spareVectors(5_010));
  const harness = new VectorHarness(store);
  harness.want('a');
  harness.updater.settle();
  await harness.updater.load();
  assert.equal(store.of('scripted').size, 5_001);
  assert.equal(harness.updater.counts.ready, 1);
});

test('vectors that lose their tools while the gateway runs are removed beyond the limit, the oldest first', async () => {
  const harness = new VectorHarness();
  harness.store.rows.set('scripted', spareVectors(5_000));
  for (const key of ['a', 'b', 'c']) harness.want(key);
  harness.want('d', 'text of a');
  harness.updater.settle();
  await harness.updater.load();
  const stored = () => harness.store.of('scripted');
  assert.equal(stored().size, 5_003);
  for (const key of ['a', 'b', 'c']) harness.want(key, `new text of ${key}`);
  await harness.quiet();
  assert.equal(stored().size, 5_004, 'the text of a is still that of d');
  assert.deepEqual(
    ['spare-0', 'spare-1', 'spare-2'].map((key) => stored().has(key)),
    [false, false, true],
  );
  harness.want('b');
  await harness.quiet();
  assert.equal(harness.model.asked.length, 6, 'what has just lost its tool is still there');
  assert.equal(harness.near('text of b')[0], 'b');
});

test('a vector that comes back into use is kept, and one that was removed is made again', async () => {
  const harness = new VectorHarness();
  harness.want('first');
  harness.updater.settle();
  await harness.updater.load();
  harness.remove('first');
  harness.want('first');
  const makes = async (round: number) => {
    for (let at = 0; at < 64; at += 1) harness.want(`t${at}`, `text ${round} ${at}`);
    await harness.quiet();
  };
  for (let round = 0; round < 82; round += 1) await makes(round);
  assert.deepEqual([harness.updater.counts.ready, harness.updater.counts.made], [65, 82 * 64 + 1]);
  assert.equal(harness.store.of('scripted').size, 5_065);
  await makes(0);
  assert.equal(harness.updater.counts.made, 83 * 64 + 1);
});

test('stored vectors of tools that are not listed yet are kept until all tools are known', async () => {
  const harness = new VectorHarness();
  harness.store.rows.set('scripted', spareVectors(5_010));
  for (let at = 0; at < 65; at += 1) harness.want(`t${at}`);
  await harness.updater.load();
  assert.equal(harness.store.of('scripted').size, 5_075);
  harness.updater.settle();
  await harness.updater.close();
  assert.equal(harness.store.of('scripted').size, 5_065);
});

test('one question that comes too late begins no rest, three in a row do', async () => {
  const harness = new VectorHarness();
  const release = harness.model.hold();
  for (const isLast of [false, false, true]) {
    const asked = harness.updater.vectorsOf(['a question'], new AbortController().signal);
    await turn();
    await harness.clock.advance(5_001);
    assert.deepEqual(await asked, []);
    assert.equal(harness.updater.problem !== null, isLast);
  }
  release();
  const before = harness.model.asked.length;
  assert.deepEqual(await harness.updater.vectorsOf(['a question'], new AbortController().signal), []);
  assert.equal(harness.model.asked.length, before, 'it is left alone');
  await harness.updater.close();
});

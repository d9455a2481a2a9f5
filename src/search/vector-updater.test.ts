/** Every text is embedded once, whatever comes and goes, and a failing model or store costs nothing but meaning. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { MemoryVectors } from '../../test/kit/memory-vectors.ts';
import { spareVectors, VectorHarness, vectorsOf } from '../../test/kit/vector-harness.ts';
import { openTable } from '../meaning/meaning.ts';
import { ToolIndex } from './tool-index.ts';
import { VectorUpdater } from './vector-updater.ts';

const never = new AbortController().signal;

test('texts are embedded in the background, stored and found by', async () => {
  const harness = new VectorHarness();
  for (const key of ['a', 'b', 'c']) harness.want(key);
  assert.deepEqual(harness.updater.counts, { ready: 0, waiting: 3, made: 0 });
  await harness.updater.load();
  assert.deepEqual(harness.updater.counts, { ready: 3, waiting: 0, made: 3 });
  assert.equal(harness.near('text of b')[0], 'b');
  assert.equal(harness.store.of('scripted').size, 3);
  harness.want('d');
  await harness.quiet();
  assert.equal(harness.near('text of d')[0], 'd');
  assert.deepEqual(harness.model.asked.length, 4);
});

test('nothing is embedded twice: not for two tools of one text, nor for one that comes back', async () => {
  const harness = new VectorHarness();
  harness.want('a', 'same');
  harness.want('b', 'same');
  await harness.updater.load();
  harness.want('c', 'same');
  harness.remove('a');
  harness.want('a', 'same');
  harness.want('b', 'same');
  await harness.quiet();
  assert.deepEqual(harness.model.asked, ['same']);
  assert.deepEqual(new Set(harness.near('same')), new Set(['a', 'b', 'c']));
  assert.deepEqual(harness.updater.counts, { ready: 3, waiting: 0, made: 1 });
});

test('a restart embeds nothing, a changed text is embedded alone', async () => {
  const before = new VectorHarness();
  for (const key of ['a', 'b', 'c']) before.want(key);
  await before.updater.load();
  await before.updater.close();
  const harness = new VectorHarness(before.store);
  for (const key of ['a', 'b']) harness.want(key);
  await harness.updater.load();
  harness.want('c');
  await harness.quiet();
  assert.deepEqual(harness.model.asked, []);
  assert.equal(harness.near('text of c')[0], 'c');
  harness.want('a', 'another text');
  await harness.quiet();
  assert.deepEqual(harness.model.asked, ['another text']);
  assert.equal(harness.near('another text')[0], 'a');
  assert.deepEqual(harness.updater.counts, { ready: 3, waiting: 0, made: 1 });
});

test('vectors of another model, or of another width, are not used', async () => {
  const store = new MemoryVectors();
  await store.saveVectors('former', [{ fingerprint: 'f', values: new Uint8Array(16), scale: 1 }]);
  const first = new VectorHarness(store);
  first.want('a');
  await first.updater.load();
  assert.deepEqual([...store.rows.keys()], ['scripted']);
  for (const [fingerprint, row] of store.of('scripted'))
    store.of('scripted').set(fingerprint, { ...row, values: new Uint8Array(8) });
  const second = new VectorHarness(store);
  second.want('a');
  await second.updater.load();
  assert.deepEqual(second.model.asked, ['text of a']);
});

test('a text without meaning to the model is asked for once and stays without a vector', async () => {
  const harness = new VectorHarness();
  harness.want('blank', '  ');
  await harness.updater.load();
  harness.want('blank', '  ');
  await harness.quiet();
  assert.equal(harness.model.asked.length, 1);
  assert.deepEqual(harness.updater.counts, { ready: 0, waiting: 0, made: 1 });
});

test('many texts are asked for in batches, and others have their turn in between', async () => {
  const harness = new VectorHarness();
  for (let at = 0; at < 200; at += 1) harness.want(`t${at}`);
  let turns = 0;
  const isLoaded = harness.updater.load().then(() => true);
  while (!(await Promise.race([isLoaded, turn(false)]))) turns += 1;
  assert.equal(harness.model.batches, 4);
  assert.ok(turns >= 4, `${turns}`);
  assert.equal(harness.updater.counts.ready, 200);
});

test('a failing model is told once, rested, tried again and told again when it works; searches go on', async () => {
  const harness = new VectorHarness();
  harness.model.isFailing = true;
  harness.want('a');
  await harness.updater.load();
  assert.equal(harness.model.batches, 1);
  assert.deepEqual(await harness.updater.vectorsOf(['a need'], never), []);
  assert.deepEqual(await harness.updater.vectorsOf(['a need'], never), []);
  assert.equal(harness.model.batches, 2, 'a model that failed a question is not asked by the next');
  assert.match(harness.updater.problem ?? '', /Nobody answers/);
  harness.want('b');
  await harness.quiet();
  assert.equal(harness.model.batches, 2);
  // Each failure doubles the rest: tries at 30, 90 and 210 seconds and so on, without a question that sets them off.
  await harness.clock.advance(240_000);
  assert.equal(harness.model.batches, 5);
  assert.equal(harness.warnings.length, 1, harness.said.join());
  assert.match(harness.warnings[0] ?? '', /cannot be used for now: Nobody answers\. New tools are found by words\./);
  harness.model.isFailing = false;
  await harness.clock.advance(600_000);
  assert.deepEqual(harness.updater.counts, { ready: 2, waiting: 0, made: 2 });
  assert.equal(harness.updater.problem, null);
  assert.deepEqual(harness.said.slice(1), ['info: The model for search by meaning answers again.']);
  assert.deepEqual(harness.clock.waits, []);
});

test('a question that is answered again wakes the work that waits', async () => {
  const harness = new VectorHarness();
  harness.model.isFailing = true;
  harness.want('a');
  await harness.updater.load();
  harness.model.isFailing = false;
  await harness.clock.advance(29_999);
  assert.equal(harness.updater.counts.ready, 0);
  await harness.clock.advance(1);
  assert.deepEqual(await harness.updater.vectorsOf(['a need', ' ', 'more'], never), vectorsOf('a need', 'more'));
  await harness.quiet();
  assert.equal(harness.updater.counts.ready, 1);
});

test('a question that the model leaves open goes by words after five seconds, and the next one is asked again', async () => {
  const harness = new VectorHarness();
  const letGo = harness.model.hold();
  let isOpen = true;
  const vectors = harness.updater.vectorsOf(['a need'], never).finally(() => {
    isOpen = false;
  });
  await harness.clock.advance(4_999);
  assert.ok(isOpen);
  await harness.clock.advance(1);
  assert.deepEqual(await vectors, []);
  assert.deepEqual([harness.said, harness.updater.problem, harness.clock.waits], [[], null, []]);
  letGo();
  assert.deepEqual(await harness.updater.vectorsOf(['a need'], never), vectorsOf('a need'));
});

test('questions are urgent, however many sentences they have; tools are not', async () => {
  const harness = new VectorHarness();
  harness.want('a');
  await harness.updater.load();
  await harness.updater.vectorsOf(['a need', 'one part', 'another part'], never);
  assert.deepEqual(harness.model.askedUrgently, ['a need', 'one part', 'another part']);
});

test('a batch that fails does not keep questions from being asked', async () => {
  const harness = new VectorHarness();
  harness.model.refusal = (texts) => (texts.includes('text of a') ? new Error('No room.') : undefined);
  harness.want('a');
  await harness.updater.load();
  assert.match(harness.updater.problem ?? '', /No room/);
  assert.deepEqual(await harness.updater.vectorsOf(['a need'], never), vectorsOf('a need'));
  harness.model.refusal = undefined;
  await harness.clock.advance(30_000);
  assert.deepEqual([harness.updater.counts.ready, harness.updater.problem], [1, null]);
});

test('a question that fails does not keep the tools from their vectors', async () => {
  const harness = new VectorHarness();
  await harness.updater.load();
  harness.model.isFailing = true;
  assert.deepEqual(await harness.updater.vectorsOf(['a need'], never), []);
  harness.model.isFailing = false;
  harness.want('a');
  await harness.quiet();
  assert.equal(harness.updater.counts.ready, 1);
});

test('a question that its asker gives up is no fault of the model', async () => {
  const harness = new VectorHarness();
  harness.model.hold();
  const asker = new AbortController();
  const vectors = harness.updater.vectorsOf(['a need'], asker.signal);
  asker.abort();
  assert.deepEqual(await vectors, []);
  assert.deepEqual([harness.said, harness.updater.problem, harness.clock.waits], [[], null, []]);
});

test('a store that fails costs only the time to make vectors again', async () => {
  const harness = new VectorHarness();
  harness.store.isBroken = true;
  harness.want('a');
  await harness.updater.load();
  assert.equal(harness.near('text of a')[0], 'a');
  assert.deepEqual(harness.warnings.length, 2);
  harness.store.isBroken = false;
  const next = new VectorHarness(harness.store);
  next.want('a');
  await next.updater.load();
  assert.deepEqual(next.model.asked, ['text of a']);
});

test('closing in the middle ends the work, touches neither index nor store, and closes the model', async () => {
  for (const isDeaf of [false, true]) {
    const harness = new VectorHarness();
    harness.model.isDeaf = isDeaf;
    const letGo = harness.model.hold();
    harness.want('a');
    const loading = harness.updater.load();
    await harness.quiet();
    assert.equal(harness.model.batches, 1);
    const closing = harness.updater.close();
    letGo();
    await Promise.all([closing, loading]);
    await harness.quiet();
    assert.deepEqual(
      [harness.model.isClosed, harness.store.of('scripted').size, harness.near('text of a')],
      [true, 0, []],
    );
    assert.deepEqual([harness.said, harness.clock.waits], [[], []]);
    harness.want('b');
    await harness.quiet();
    assert.equal(harness.model.batches, 1);
  }
});

test('closing while the model rests leaves no timer behind', async () => {
  const harness = new VectorHarness();
  harness.model.isFailing = true;
  harness.want('a');
  await harness.updater.load();
  assert.equal(harness.clock.waits.length, 1);
  await harness.updater.close();
  assert.deepEqual(harness.clock.waits, []);
});

test('a updater that is closed while it reads the store asks for nothing', async () => {
  const harness = new VectorHarness();
  harness.want('a');
  const loading = harness.updater.load();
  await harness.updater.close();
  await loading;
  assert.deepEqual([harness.model.asked, harness.said], [[], []]);
});

test('a tool that is removed before its turn is not embedded, unless another has its text', async () => {
  const harness = new VectorHarness();
  harness.want('gone');
  harness.want('changed', 'before');
  harness.want('one', 'shared');
  harness.want('other', 'shared');
  harness.remove('gone');
  harness.remove('one');
  harness.want('changed', 'after');
  await harness.updater.load();
  assert.deepEqual(harness.model.asked.toSorted(), ['after', 'shared']);
  assert.deepEqual(new Set(harness.near('shared').concat(harness.near('after'))), new Set(['other', 'changed']));
});

test('a tool that is removed or changed while it is embedded does not get the vector', async () => {
  const harness = new VectorHarness();
  const letGo = harness.model.hold();
  for (const key of ['gone', 'changed', 'kept']) harness.want(key);
  const loading = harness.updater.load();
  await harness.quiet();
  harness.remove('gone');
  harness.want('changed', 'after');
  letGo();
  await loading;
  await harness.quiet();
  assert.deepEqual(harness.model.asked.slice(3), ['after']);
  assert.equal(harness.near('after')[0], 'changed');
  assert.ok(!harness.near('text of gone').includes('gone'));
  assert.deepEqual(harness.updater.counts, { ready: 2, waiting: 0, made: 4 });
});

test('stored vectors whose scale is no length are made anew', async () => {
  for (const scale of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    const before = new VectorHarness();
    before.want('a');
    await before.updater.load();
    const rows = before.store.of('scripted');
    for (const [fingerprint, row] of rows) rows.set(fingerprint, { ...row, scale });
    const harness = new VectorHarness(before.store);
    harness.want('a');
    await harness.updater.load();
    assert.deepEqual(harness.model.asked, ['text of a'], `${scale}`);
  }
});

test('before a search the built-in table makes what is missing at once, for as long as it may', async () => {
  const [index, store, clock, model] = [new ToolIndex(), new MemoryVectors(), new ManualClock(), openTable()];
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const updater = new VectorUpdater({ model, store, index, clock, log: silent });
  const save = store.saveVectors.bind(store);
  store.saveVectors = async (...rows) => {
    await turn();
    await save(...rows);
  };
  await updater.load();
  for (const key of ['a', 'b']) updater.want(key, `text of ${key}`);
  await updater.hurry();
  assert.deepEqual(updater.counts, { ready: 2, waiting: 0, made: 2 });
  await updater.close();
  assert.equal(store.of(model.id).size, 2, 'closing waits until they are stored');
  const full = new MemoryVectors();
  full.rows.set(model.id, spareVectors(5_000, model.width));
  const next = new VectorUpdater({ model, store: full, index, clock, log: silent });
  next.settle();
  await next.load();
  for (const text of ['one', 'another', 'a third']) {
    next.want('a', text);
    await next.hurry();
  }
  await turn();
  assert.equal(full.of(model.id).size, 5_001, 'what is too much then is removed');
  await next.close();
  const slow = new VectorHarness();
  slow.want('a');
  await slow.updater.hurry();
  assert.deepEqual(slow.model.asked, [], 'a model that takes its time is not hurried');
});

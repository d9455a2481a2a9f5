/** Every text is embedded once, whatever comes and goes, and a failing model or store costs nothing but meaning. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { MemoryVectors } from '../../test/kit/memory-vectors.ts';
import { Desk, spareVectors, vectorsOf } from '../../test/kit/vector-desk.ts';
import { openTable } from '../meaning/meaning.ts';
import { ToolIndex } from './tool-index.ts';
import { VectorUpdater } from './vector-updater.ts';

const never = new AbortController().signal;

test('texts are embedded in the background, stored and found by', async () => {
  const desk = new Desk();
  for (const key of ['a', 'b', 'c']) desk.want(key);
  assert.deepEqual(desk.updater.counts, { ready: 0, waiting: 3, made: 0 });
  await desk.updater.load();
  assert.deepEqual(desk.updater.counts, { ready: 3, waiting: 0, made: 3 });
  assert.equal(desk.near('text of b')[0], 'b');
  assert.equal(desk.store.of('scripted').size, 3);
  desk.want('d');
  await desk.quiet();
  assert.equal(desk.near('text of d')[0], 'd');
  assert.deepEqual(desk.model.asked.length, 4);
});

test('nothing is embedded twice: not for two tools of one text, nor for one that comes back', async () => {
  const desk = new Desk();
  desk.want('a', 'same');
  desk.want('b', 'same');
  await desk.updater.load();
  desk.want('c', 'same');
  desk.remove('a');
  desk.want('a', 'same');
  desk.want('b', 'same');
  await desk.quiet();
  assert.deepEqual(desk.model.asked, ['same']);
  assert.deepEqual(new Set(desk.near('same')), new Set(['a', 'b', 'c']));
  assert.deepEqual(desk.updater.counts, { ready: 3, waiting: 0, made: 1 });
});

test('a restart embeds nothing, a changed text is embedded alone', async () => {
  const before = new Desk();
  for (const key of ['a', 'b', 'c']) before.want(key);
  await before.updater.load();
  await before.updater.close();
  const desk = new Desk(before.store);
  for (const key of ['a', 'b']) desk.want(key);
  await desk.updater.load();
  desk.want('c');
  await desk.quiet();
  assert.deepEqual(desk.model.asked, []);
  assert.equal(desk.near('text of c')[0], 'c');
  desk.want('a', 'another text');
  await desk.quiet();
  assert.deepEqual(desk.model.asked, ['another text']);
  assert.equal(desk.near('another text')[0], 'a');
  assert.deepEqual(desk.updater.counts, { ready: 3, waiting: 0, made: 1 });
});

test('vectors of another model, or of another width, are not used', async () => {
  const store = new MemoryVectors();
  await store.saveVectors('former', [{ fingerprint: 'f', values: new Uint8Array(16), scale: 1 }]);
  const first = new Desk(store);
  first.want('a');
  await first.updater.load();
  assert.deepEqual([...store.rows.keys()], ['scripted']);
  for (const [fingerprint, row] of store.of('scripted'))
    store.of('scripted').set(fingerprint, { ...row, values: new Uint8Array(8) });
  const second = new Desk(store);
  second.want('a');
  await second.updater.load();
  assert.deepEqual(second.model.asked, ['text of a']);
});

test('a text without meaning to the model is asked for once and stays without a vector', async () => {
  const desk = new Desk();
  desk.want('blank', '  ');
  await desk.updater.load();
  desk.want('blank', '  ');
  await desk.quiet();
  assert.equal(desk.model.asked.length, 1);
  assert.deepEqual(desk.updater.counts, { ready: 0, waiting: 0, made: 1 });
});

test('many texts are asked for in batches, and others have their turn in between', async () => {
  const desk = new Desk();
  for (let at = 0; at < 200; at += 1) desk.want(`t${at}`);
  let turns = 0;
  const isLoaded = desk.updater.load().then(() => true);
  while (!(await Promise.race([isLoaded, turn(false)]))) turns += 1;
  assert.equal(desk.model.batches, 4);
  assert.ok(turns >= 4, `${turns}`);
  assert.equal(desk.updater.counts.ready, 200);
});

test('a failing model is told once, rested, tried again and told again when it works; searches go on', async () => {
  const desk = new Desk();
  desk.model.isFailing = true;
  desk.want('a');
  await desk.updater.load();
  assert.equal(desk.model.batches, 1);
  assert.deepEqual(await desk.updater.vectorsOf(['a need'], never), []);
  assert.deepEqual(await desk.updater.vectorsOf(['a need'], never), []);
  assert.equal(desk.model.batches, 2, 'a model that failed a question is not asked by the next');
  assert.match(desk.updater.problem ?? '', /Nobody answers/);
  desk.want('b');
  await desk.quiet();
  assert.equal(desk.model.batches, 2);
  // Each failure doubles the rest: tries at 30, 90 and 210 seconds and so on, without a question that sets them off.
  await desk.clock.advance(240_000);
  assert.equal(desk.model.batches, 5);
  assert.equal(desk.warnings.length, 1, desk.said.join());
  assert.match(desk.warnings[0] ?? '', /cannot be used for now: Nobody answers\. New tools are found by words\./);
  desk.model.isFailing = false;
  await desk.clock.advance(600_000);
  assert.deepEqual(desk.updater.counts, { ready: 2, waiting: 0, made: 2 });
  assert.equal(desk.updater.problem, null);
  assert.deepEqual(desk.said.slice(1), ['info: The model for search by meaning answers again.']);
  assert.deepEqual(desk.clock.waits, []);
});

test('a question that is answered again wakes the work that waits', async () => {
  const desk = new Desk();
  desk.model.isFailing = true;
  desk.want('a');
  await desk.updater.load();
  desk.model.isFailing = false;
  await desk.clock.advance(29_999);
  assert.equal(desk.updater.counts.ready, 0);
  await desk.clock.advance(1);
  assert.deepEqual(await desk.updater.vectorsOf(['a need', ' ', 'more'], never), vectorsOf('a need', 'more'));
  await desk.quiet();
  assert.equal(desk.updater.counts.ready, 1);
});

test('a question that the model leaves open goes by words after five seconds, and the next one is asked again', async () => {
  const desk = new Desk();
  const letGo = desk.model.hold();
  let isOpen = true;
  const vectors = desk.updater.vectorsOf(['a need'], never).finally(() => {
    isOpen = false;
  });
  await desk.clock.advance(4_999);
  assert.ok(isOpen);
  await desk.clock.advance(1);
  assert.deepEqual(await vectors, []);
  assert.deepEqual([desk.said, desk.updater.problem, desk.clock.waits], [[], null, []]);
  letGo();
  assert.deepEqual(await desk.updater.vectorsOf(['a need'], never), vectorsOf('a need'));
});

test('questions are urgent, however many sentences they have; tools are not', async () => {
  const desk = new Desk();
  desk.want('a');
  await desk.updater.load();
  await desk.updater.vectorsOf(['a need', 'one part', 'another part'], never);
  assert.deepEqual(desk.model.askedUrgently, ['a need', 'one part', 'another part']);
});

test('a batch that fails does not keep questions from being asked', async () => {
  const desk = new Desk();
  desk.model.refusal = (texts) => (texts.includes('text of a') ? new Error('No room.') : undefined);
  desk.want('a');
  await desk.updater.load();
  assert.match(desk.updater.problem ?? '', /No room/);
  assert.deepEqual(await desk.updater.vectorsOf(['a need'], never), vectorsOf('a need'));
  desk.model.refusal = undefined;
  await desk.clock.advance(30_000);
  assert.deepEqual([desk.updater.counts.ready, desk.updater.problem], [1, null]);
});

test('a question that fails does not keep the tools from their vectors', async () => {
  const desk = new Desk();
  await desk.updater.load();
  desk.model.isFailing = true;
  assert.deepEqual(await desk.updater.vectorsOf(['a need'], never), []);
  desk.model.isFailing = false;
  desk.want('a');
  await desk.quiet();
  assert.equal(desk.updater.counts.ready, 1);
});

test('a question that its asker gives up is no fault of the model', async () => {
  const desk = new Desk();
  desk.model.hold();
  const asker = new AbortController();
  const vectors = desk.updater.vectorsOf(['a need'], asker.signal);
  asker.abort();
  assert.deepEqual(await vectors, []);
  assert.deepEqual([desk.said, desk.updater.problem, desk.clock.waits], [[], null, []]);
});

test('a store that fails costs only the time to make vectors again', async () => {
  const desk = new Desk();
  desk.store.isBroken = true;
  desk.want('a');
  await desk.updater.load();
  assert.equal(desk.near('text of a')[0], 'a');
  assert.deepEqual(desk.warnings.length, 2);
  desk.store.isBroken = false;
  const next = new Desk(desk.store);
  next.want('a');
  await next.updater.load();
  assert.deepEqual(next.model.asked, ['text of a']);
});

test('closing in the middle ends the work, touches neither index nor store, and closes the model', async () => {
  for (const isDeaf of [false, true]) {
    const desk = new Desk();
    desk.model.isDeaf = isDeaf;
    const letGo = desk.model.hold();
    desk.want('a');
    const loading = desk.updater.load();
    await desk.quiet();
    assert.equal(desk.model.batches, 1);
    const closing = desk.updater.close();
    letGo();
    await Promise.all([closing, loading]);
    await desk.quiet();
    assert.deepEqual([desk.model.isClosed, desk.store.of('scripted').size, desk.near('text of a')], [true, 0, []]);
    assert.deepEqual([desk.said, desk.clock.waits], [[], []]);
    desk.want('b');
    await desk.quiet();
    assert.equal(desk.model.batches, 1);
  }
});

test('closing while the model rests leaves no timer behind', async () => {
  const desk = new Desk();
  desk.model.isFailing = true;
  desk.want('a');
  await desk.updater.load();
  assert.equal(desk.clock.waits.length, 1);
  await desk.updater.close();
  assert.deepEqual(desk.clock.waits, []);
});

test('a updater that is closed while it reads the store asks for nothing', async () => {
  const desk = new Desk();
  desk.want('a');
  const loading = desk.updater.load();
  await desk.updater.close();
  await loading;
  assert.deepEqual([desk.model.asked, desk.said], [[], []]);
});

test('a tool that is removed before its turn is not embedded, unless another has its text', async () => {
  const desk = new Desk();
  desk.want('gone');
  desk.want('changed', 'before');
  desk.want('one', 'shared');
  desk.want('other', 'shared');
  desk.remove('gone');
  desk.remove('one');
  desk.want('changed', 'after');
  await desk.updater.load();
  assert.deepEqual(desk.model.asked.toSorted(), ['after', 'shared']);
  assert.deepEqual(new Set(desk.near('shared').concat(desk.near('after'))), new Set(['other', 'changed']));
});

test('a tool that is removed or changed while it is embedded does not get the vector', async () => {
  const desk = new Desk();
  const letGo = desk.model.hold();
  for (const key of ['gone', 'changed', 'kept']) desk.want(key);
  const loading = desk.updater.load();
  await desk.quiet();
  desk.remove('gone');
  desk.want('changed', 'after');
  letGo();
  await loading;
  await desk.quiet();
  assert.deepEqual(desk.model.asked.slice(3), ['after']);
  assert.equal(desk.near('after')[0], 'changed');
  assert.ok(!desk.near('text of gone').includes('gone'));
  assert.deepEqual(desk.updater.counts, { ready: 2, waiting: 0, made: 4 });
});

test('stored vectors whose scale is no length are made anew', async () => {
  for (const scale of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    const before = new Desk();
    before.want('a');
    await before.updater.load();
    const rows = before.store.of('scripted');
    for (const [fingerprint, row] of rows) rows.set(fingerprint, { ...row, scale });
    const desk = new Desk(before.store);
    desk.want('a');
    await desk.updater.load();
    assert.deepEqual(desk.model.asked, ['text of a'], `${scale}`);
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
  const slow = new Desk();
  slow.want('a');
  await slow.updater.hurry();
  assert.deepEqual(slow.model.asked, [], 'a model that takes its time is not hurried');
});

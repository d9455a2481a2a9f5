/** The updater skips texts that a service refuses, and removes vectors that no tool has. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MemoryVectors } from '../../test/kit/memory-vectors.ts';
import { Desk, spareVectors } from '../../test/kit/vector-desk.ts';
import { GatewayError } from '../base/errors.ts';

/** As a service does that takes no text with this word in it. */
function refusesAll(word: string, status: number): (texts: readonly string[]) => Error | undefined {
  const error = new GatewayError('MODEL_FAILED', `It answered HTTP ${status}.`, { data: { reason: 'status', status } });
  return (texts) => (texts.some((text) => text.includes(word)) ? error : undefined);
}

test('texts that the service refuses are found and left out, told once and not stored; the others get their vectors', async () => {
  for (const status of [400, 413, 422]) {
    const desk = new Desk();
    desk.model.refusal = refusesAll('odd', status);
    for (let at = 0; at < 100; at += 1) desk.want(`t${at}`, at === 17 || at === 80 ? `odd ${at}` : `plain ${at}`);
    await desk.updater.load();
    assert.deepEqual(desk.updater.counts, { ready: 98, waiting: 0, made: 100 });
    assert.equal(desk.store.of('scripted').size, 98);
    assert.equal(desk.warnings.length, 1, desk.said.join());
    assert.deepEqual([desk.updater.problem, desk.clock.waits], [null, []]);
    const { batches } = desk.model;
    assert.ok(batches < 40, `${batches}`);
    desk.want('again', 'odd 17');
    await desk.quiet();
    assert.equal(desk.model.batches, batches, 'it is remembered');
  }
});

test('a single text that is refused is left out as well', async () => {
  const desk = new Desk();
  desk.model.refusal = refusesAll('odd', 400);
  desk.want('a', 'odd');
  await desk.updater.load();
  assert.deepEqual(desk.updater.counts, { ready: 0, waiting: 0, made: 1 });
});

test('a refusal that is not about the text makes the model rest, and nothing is left out', async () => {
  for (const [word, status] of [
    ['', 404],
    ['t1', 401],
    ['t1', 403],
    ['t1', 429],
    ['t1', 500],
  ] as const) {
    const desk = new Desk();
    desk.model.refusal = refusesAll(word, status);
    for (const key of ['t1', 't2']) desk.want(key);
    await desk.updater.load();
    assert.deepEqual(desk.updater.counts, { ready: 0, waiting: 2, made: 0 }, `${status}`);
    assert.ok(desk.model.batches <= 2);
    desk.model.refusal = undefined;
    await desk.clock.advance(30_000);
    assert.equal(desk.updater.counts.ready, 2);
  }
});

test('a failure while the culprit is looked for costs nothing of what was made', async () => {
  const desk = new Desk();
  const refused = refusesAll('t3', 400);
  desk.model.refusal = (texts) => (texts.join() === 'text of t3,text of t4' ? new Error('Down.') : refused(texts));
  for (const key of ['t1', 't2', 't3', 't4']) desk.want(key);
  await desk.updater.load();
  assert.deepEqual(desk.updater.counts, { ready: 2, waiting: 2, made: 2 });
  desk.model.refusal = refused;
  await desk.clock.advance(30_000);
  assert.deepEqual(desk.updater.counts, { ready: 3, waiting: 0, made: 4 });
});

test('vectors that no tool has are kept up to a limit and then removed from the store', async () => {
  const store = new MemoryVectors();
  store.rows.set('scripted', spareVectors(5_010));
  const desk = new Desk(store);
  desk.want('a');
  desk.updater.settle();
  await desk.updater.load();
  assert.equal(store.of('scripted').size, 5_001);
  assert.equal(desk.updater.counts.ready, 1);
});

test('vectors that lose their tools while the gateway runs are removed beyond the limit, the oldest first', async () => {
  const desk = new Desk();
  desk.store.rows.set('scripted', spareVectors(5_000));
  for (const key of ['a', 'b', 'c']) desk.want(key);
  desk.want('d', 'text of a');
  desk.updater.settle();
  await desk.updater.load();
  const stored = () => desk.store.of('scripted');
  assert.equal(stored().size, 5_003);
  for (const key of ['a', 'b', 'c']) desk.want(key, `new text of ${key}`);
  await desk.quiet();
  assert.equal(stored().size, 5_004, 'the text of a is still that of d');
  assert.deepEqual(
    ['spare-0', 'spare-1', 'spare-2'].map((key) => stored().has(key)),
    [false, false, true],
  );
  desk.want('b');
  await desk.quiet();
  assert.equal(desk.model.asked.length, 6, 'what has just lost its tool is still there');
  assert.equal(desk.near('text of b')[0], 'b');
});

test('a vector that comes back into use is kept, and one that was removed is made again', async () => {
  const desk = new Desk();
  desk.want('first');
  desk.updater.settle();
  await desk.updater.load();
  desk.remove('first');
  desk.want('first');
  const makes = async (round: number) => {
    for (let at = 0; at < 64; at += 1) desk.want(`t${at}`, `text ${round} ${at}`);
    await desk.quiet();
  };
  for (let round = 0; round < 82; round += 1) await makes(round);
  assert.deepEqual([desk.updater.counts.ready, desk.updater.counts.made], [65, 82 * 64 + 1]);
  assert.equal(desk.store.of('scripted').size, 5_065);
  await makes(0);
  assert.equal(desk.updater.counts.made, 83 * 64 + 1);
});

test('what is stored for tools that are still to come is kept until every tool there is has been wanted', async () => {
  const desk = new Desk();
  desk.store.rows.set('scripted', spareVectors(5_010));
  for (let at = 0; at < 65; at += 1) desk.want(`t${at}`);
  await desk.updater.load();
  assert.equal(desk.store.of('scripted').size, 5_075);
  desk.updater.settle();
  await desk.updater.close();
  assert.equal(desk.store.of('scripted').size, 5_065);
});

test('one question that comes too late begins no rest, three in a row do', async () => {
  const desk = new Desk();
  const release = desk.model.hold();
  for (const isLast of [false, false, true]) {
    const asked = desk.updater.vectorsOf(['a question'], new AbortController().signal);
    await turn();
    await desk.clock.advance(5_001);
    assert.deepEqual(await asked, []);
    assert.equal(desk.updater.problem !== null, isLast);
  }
  release();
  const before = desk.model.asked.length;
  assert.deepEqual(await desk.updater.vectorsOf(['a question'], new AbortController().signal), []);
  assert.equal(desk.model.asked.length, before, 'it is left alone');
  await desk.updater.close();
});

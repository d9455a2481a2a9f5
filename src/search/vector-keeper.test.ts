/** That every text is embedded once, whatever comes and goes, and that a failing model or store costs nothing but meaning. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { directionOf, MemoryVectors, ScriptedModel } from '../../test/kit/memory-vectors.ts';
import type { Log } from '../base/log.ts';
import { openTable, type Vector } from '../meaning/meaning.ts';
import { ToolIndex } from './tool-index.ts';
import { VectorKeeper } from './vector-keeper.ts';

/** One life of a keeper; the store outlives it. */
class Desk {
  readonly model = new ScriptedModel();
  readonly store: MemoryVectors;
  readonly index = new ToolIndex();
  readonly clock = new ManualClock();
  readonly said: string[] = [];
  readonly keeper: VectorKeeper;

  constructor(store = new MemoryVectors()) {
    const say = (level: string) => (event: string) => void this.said.push(`${level}: ${event}`);
    const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
    const { model, index, clock } = this;
    this.store = store;
    this.keeper = new VectorKeeper({ model, store, index, clock, log });
  }

  /** As the finder does: the tool first, then its text. */
  want(key: string, text = `text of ${key}`): void {
    this.index.add({ key, server: 's', serverText: '', name: key, description: text, parameters: [] });
    this.keeper.want(key, text);
  }

  remove(key: string): void {
    this.index.remove(key);
    this.keeper.forget(key);
  }

  /** The tools that a search by meaning finds for a text, nearest first. */
  near(text: string): string[] {
    const question = { text, parts: [], vectors: vectorsOf(text), usage: new Map() };
    return this.index.search([question], { limit: 99, mode: 'semantic' }).map((hit) => hit.key);
  }

  get warnings(): string[] {
    return this.said.filter((line) => line.startsWith('warn'));
  }

  /** Until nothing is under way. */
  async quiet(): Promise<void> {
    for (let round = 0; round < 30; round += 1) await turn();
  }
}

const never = new AbortController().signal;

test('texts are embedded in the background, stored and found by', async () => {
  const desk = new Desk();
  for (const key of ['a', 'b', 'c']) desk.want(key);
  assert.deepEqual(desk.keeper.counts, { ready: 0, waiting: 3, made: 0 });
  await desk.keeper.load();
  assert.deepEqual(desk.keeper.counts, { ready: 3, waiting: 0, made: 3 });
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
  await desk.keeper.load();
  desk.want('c', 'same');
  desk.remove('a');
  desk.want('a', 'same');
  desk.want('b', 'same');
  await desk.quiet();
  assert.deepEqual(desk.model.asked, ['same']);
  assert.deepEqual(new Set(desk.near('same')), new Set(['a', 'b', 'c']));
  assert.deepEqual(desk.keeper.counts, { ready: 3, waiting: 0, made: 1 });
});

test('a restart embeds nothing, a changed text is embedded alone', async () => {
  const before = new Desk();
  for (const key of ['a', 'b', 'c']) before.want(key);
  await before.keeper.load();
  await before.keeper.close();
  const desk = new Desk(before.store);
  for (const key of ['a', 'b']) desk.want(key);
  await desk.keeper.load();
  desk.want('c');
  await desk.quiet();
  assert.deepEqual(desk.model.asked, []);
  assert.equal(desk.near('text of c')[0], 'c');
  desk.want('a', 'another text');
  await desk.quiet();
  assert.deepEqual(desk.model.asked, ['another text']);
  assert.equal(desk.near('another text')[0], 'a');
  assert.deepEqual(desk.keeper.counts, { ready: 3, waiting: 0, made: 1 });
});

test('vectors of another model, or of another width, are not used', async () => {
  const store = new MemoryVectors();
  await store.saveVectors('former', [{ fingerprint: 'f', values: new Uint8Array(16), scale: 1 }]);
  const first = new Desk(store);
  first.want('a');
  await first.keeper.load();
  assert.deepEqual([...store.rows.keys()], ['scripted']);
  for (const [fingerprint, row] of store.of('scripted'))
    store.of('scripted').set(fingerprint, { ...row, values: new Uint8Array(8) });
  const second = new Desk(store);
  second.want('a');
  await second.keeper.load();
  assert.deepEqual(second.model.asked, ['text of a']);
});

test('a text without meaning to the model is asked for once and stays without a vector', async () => {
  const desk = new Desk();
  desk.want('blank', '  ');
  await desk.keeper.load();
  desk.want('blank', '  ');
  await desk.quiet();
  assert.equal(desk.model.asked.length, 1);
  assert.deepEqual(desk.keeper.counts, { ready: 0, waiting: 0, made: 1 });
});

test('many texts are asked for in batches, and others have their turn in between', async () => {
  const desk = new Desk();
  for (let at = 0; at < 200; at += 1) desk.want(`t${at}`);
  let turns = 0;
  const isLoaded = desk.keeper.load().then(() => true);
  while (!(await Promise.race([isLoaded, turn(false)]))) turns += 1;
  assert.equal(desk.model.batches, 4);
  assert.ok(turns >= 4, `${turns}`);
  assert.equal(desk.keeper.counts.ready, 200);
});

test('a failing model is told once, rested, tried again and told again when it works; searches go on', async () => {
  const desk = new Desk();
  desk.model.isFailing = true;
  desk.want('a');
  await desk.keeper.load();
  assert.equal(desk.model.batches, 1);
  assert.deepEqual(await desk.keeper.vectorsOf(['a need'], never), []);
  assert.equal(desk.model.batches, 1, 'a resting model is not asked');
  assert.equal(desk.keeper.isFailing, true);
  desk.want('b');
  await desk.quiet();
  assert.equal(desk.model.batches, 1);
  // Each failure doubles the rest: tries at 30, 90 and 210 seconds and so on, without a question that sets them off.
  await desk.clock.advance(240_000);
  assert.equal(desk.model.batches, 4);
  assert.equal(desk.warnings.length, 1, desk.said.join());
  assert.match(desk.warnings[0] ?? '', /cannot be used for now: Nobody answers\. Searches go on by words\./);
  desk.model.isFailing = false;
  await desk.clock.advance(600_000);
  assert.deepEqual(desk.keeper.counts, { ready: 2, waiting: 0, made: 2 });
  assert.equal(desk.keeper.isFailing, false);
  assert.deepEqual(desk.said.slice(1), ['info: The model for search by meaning answers again.']);
  assert.deepEqual(desk.clock.waits, []);
});

test('a question that is answered again wakes the work that waits', async () => {
  const desk = new Desk();
  desk.model.isFailing = true;
  desk.want('a');
  await desk.keeper.load();
  desk.model.isFailing = false;
  await desk.clock.advance(29_999);
  assert.equal(desk.keeper.counts.ready, 0);
  await desk.clock.advance(1);
  assert.deepEqual(await desk.keeper.vectorsOf(['a need', ' ', 'more'], never), vectorsOf('a need', 'more'));
  await desk.quiet();
  assert.equal(desk.keeper.counts.ready, 1);
});

test('a question that the model leaves open is given up after five seconds, and the model rests', async () => {
  const desk = new Desk();
  desk.model.hold();
  const vectors = desk.keeper.vectorsOf(['a need'], never);
  await desk.clock.advance(4_999);
  assert.deepEqual(desk.said, []);
  await desk.clock.advance(1);
  assert.deepEqual(await vectors, []);
  assert.match(desk.warnings[0] ?? '', /did not answer within 5 seconds/);
  assert.deepEqual(await desk.keeper.vectorsOf(['a need'], never), []);
  assert.equal(desk.model.batches, 1);
});

test('a question that its asker gives up is no fault of the model', async () => {
  const desk = new Desk();
  desk.model.hold();
  const asker = new AbortController();
  const vectors = desk.keeper.vectorsOf(['a need'], asker.signal);
  asker.abort();
  assert.deepEqual(await vectors, []);
  assert.deepEqual([desk.said, desk.keeper.isFailing, desk.clock.waits], [[], false, []]);
});

test('a store that fails costs only the time to make vectors again', async () => {
  const desk = new Desk();
  desk.store.isBroken = true;
  desk.want('a');
  await desk.keeper.load();
  assert.equal(desk.near('text of a')[0], 'a');
  assert.deepEqual(desk.warnings.length, 2);
  desk.store.isBroken = false;
  const next = new Desk(desk.store);
  next.want('a');
  await next.keeper.load();
  assert.deepEqual(next.model.asked, ['text of a']);
});

test('closing in the middle ends the work, touches neither index nor store, and closes the model', async () => {
  for (const isDeaf of [false, true]) {
    const desk = new Desk();
    desk.model.isDeaf = isDeaf;
    const letGo = desk.model.hold();
    desk.want('a');
    const loading = desk.keeper.load();
    await desk.quiet();
    assert.equal(desk.model.batches, 1);
    const closing = desk.keeper.close();
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
  await desk.keeper.load();
  assert.equal(desk.clock.waits.length, 1);
  await desk.keeper.close();
  assert.deepEqual(desk.clock.waits, []);
});

test('a keeper that is closed while it reads the store asks for nothing', async () => {
  const desk = new Desk();
  desk.want('a');
  const loading = desk.keeper.load();
  await desk.keeper.close();
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
  await desk.keeper.load();
  assert.deepEqual(desk.model.asked.toSorted(), ['after', 'shared']);
  assert.deepEqual(new Set(desk.near('shared').concat(desk.near('after'))), new Set(['other', 'changed']));
});

test('a tool that is removed or changed while it is embedded does not get the vector', async () => {
  const desk = new Desk();
  const letGo = desk.model.hold();
  for (const key of ['gone', 'changed', 'kept']) desk.want(key);
  const loading = desk.keeper.load();
  await desk.quiet();
  desk.remove('gone');
  desk.want('changed', 'after');
  letGo();
  await loading;
  await desk.quiet();
  assert.deepEqual(desk.model.asked.slice(3), ['after']);
  assert.equal(desk.near('after')[0], 'changed');
  assert.ok(!desk.near('text of gone').includes('gone'));
  assert.deepEqual(desk.keeper.counts, { ready: 2, waiting: 0, made: 4 });
});

test('vectors that no tool has are kept up to a limit and then removed from the store', async () => {
  const store = new MemoryVectors();
  const row = (fingerprint: string) => ({ fingerprint, values: new Uint8Array(16).fill(1), scale: 0.25 });
  await store.saveVectors(
    'scripted',
    Array.from({ length: 5_010 }, (_, at) => row(`unused-${at}`)),
  );
  const desk = new Desk(store);
  desk.want('a');
  await desk.keeper.load();
  assert.equal(store.of('scripted').size, 5_001);
  assert.equal(desk.keeper.counts.ready, 1);
});

test('before a search the built-in table makes what is missing at once, for as long as it may', async () => {
  const [index, store, clock, model] = [new ToolIndex(), new MemoryVectors(), new ManualClock(), openTable()];
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const keeper = new VectorKeeper({ model, store, index, clock, log: silent });
  const save = store.saveVectors.bind(store);
  store.saveVectors = async (...rows) => {
    await turn();
    await save(...rows);
  };
  await keeper.load();
  for (const key of ['a', 'b']) keeper.want(key, `text of ${key}`);
  await keeper.hurry();
  assert.deepEqual(keeper.counts, { ready: 2, waiting: 0, made: 2 });
  await keeper.close();
  assert.equal(store.of(model.id).size, 2, 'closing waits until they are stored');
  const slow = new Desk();
  slow.want('a');
  await slow.keeper.hurry();
  assert.deepEqual(slow.model.asked, [], 'a model that takes its time is not hurried');
});

function vectorsOf(...texts: readonly string[]): Vector[] {
  return texts.map(directionOf).filter((vector) => vector !== null);
}

/** Nearness is the cosine, however the index has grown and whatever was cleared. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toVector, type Vector } from '../meaning/meaning.ts';
import { VectorIndex } from './vector-index.ts';

const random = seeded(11);

test('nearness is the cosine of the nearest vector asked for', () => {
  const shape = fc.record({
    width: fc.integer({ min: 1, max: 24 }).map((steps) => 16 * steps),
    tools: fc.integer({ min: 1, max: 40 }),
    asked: fc.integer({ min: 1, max: 12 }),
    seed: fc.integer({ min: 1, max: 0x7fffffff }),
  });
  fc.assert(
    fc.property(shape, ({ width, tools, asked, seed }) => {
      const next = seeded(seed);
      const rows = Array.from({ length: tools }, () => randomVector(width, next));
      const questions = Array.from({ length: asked }, () => randomVector(width, next));
      const index = new VectorIndex(width);
      for (const [slot, vector] of rows.entries()) index.set(slot, vector);
      const near = index.nearness(questions, tools);
      for (const [slot, row] of rows.entries()) {
        const wanted = Math.max(...questions.map((question) => cosine(question, row)));
        assert.ok(Math.abs((near[slot] ?? 9) - wanted) < 1e-3, `${near[slot]} for ${wanted}`);
      }
    }),
    { numRuns: 100 },
  );
});

test('growing and asking in between keep the vectors that are there', () => {
  const index = new VectorIndex(32);
  const vectors = Array.from({ length: 3_000 }, () => randomVector(32, random));
  for (const [slot, vector] of vectors.entries()) {
    index.set(slot, vector);
    // A question and its products lie behind the vectors, where the next ones will.
    if (slot % 100 === 0) index.nearness([vector, vector, vector, vector, vector], slot + 1);
  }
  for (const [slot, vector] of vectors.entries()) assert.deepEqual(index.get(slot), toStored(vector));
  const near = index.nearness([vectors[1_234] ?? randomVector(32, random)], vectors.length);
  assert.equal(near.indexOf(Math.max(...near)), 1_234);
});

test('a slot without a vector is at 0, also one that was cleared and one beyond all vectors', () => {
  const index = new VectorIndex(16);
  const vector = randomVector(16, random);
  for (const slot of [0, 1, 5]) index.set(slot, vector);
  index.clear(1);
  index.clear(9_999);
  assert.deepEqual(
    [0, 1, 2, 5, 300].map((slot) => index.has(slot)),
    [true, false, false, true, false],
  );
  assert.deepEqual([index.get(1), index.get(2), index.get(300)], [null, null, null]);
  const near = index.nearness([opposite(vector)], 1_000);
  assert.equal(near.length, 1_000);
  const [own = 0, cleared = 9, never = 9] = near;
  assert.ok(own < -0.99);
  assert.ok(cleared === 0 && never === 0 && near[999] === 0);
  index.set(1, opposite(vector));
  assert.ok((index.nearness([vector], 2)[1] ?? 0) < -0.99);
});

test('nothing is near to no question, and an empty index has no neighbours', () => {
  const index = new VectorIndex(16);
  assert.deepEqual(index.nearness([randomVector(16, random)], 3), new Float32Array(3));
  index.set(0, randomVector(16, random));
  assert.deepEqual(index.nearness([], 3), new Float32Array(3));
  assert.equal(index.nearness([randomVector(16, random)], 0).length, 0);
});

test('results do not change with the index', () => {
  const index = new VectorIndex(16);
  const vector = randomVector(16, random);
  index.set(0, vector);
  const before = index.get(0);
  index.set(0, opposite(vector));
  assert.deepEqual(before, toStored(vector));
});

/** Scales are kept as 32-bit numbers. */
function toStored({ values, scale }: Vector): Vector {
  return { values, scale: Math.fround(scale) };
}

function opposite({ values, scale }: Vector): Vector {
  return { values: values.map((value) => -value), scale };
}

function cosine(a: Vector, b: Vector): number {
  return a.values.reduce((sum, value, at) => sum + value * (b.values[at] ?? 0), 0) * a.scale * b.scale;
}

function randomVector(width: number, next: () => number): Vector {
  const vector = toVector(Array.from({ length: width }, () => next() - 0.5));
  assert.ok(vector);
  return vector;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

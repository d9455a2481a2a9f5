/** Tests of vectors: one keeps the direction of its numbers, and the kernel of `dots.wat` multiplies like a plain loop. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import openWabt from 'wabt';
import { Dots, kernelBytes, toVector } from './vector.ts';

test('a vector points where the numbers point, whatever their length', () => {
  const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 16, maxLength: 64 });
  fc.assert(
    fc.property(numbers, fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (values, length) => {
      fc.pre(Math.hypot(...values) > 0.01);
      const vector = toVector(values.map((value) => value * length));
      assert.ok(vector);
      const size = Math.hypot(...values);
      const sum = values.reduce((total, value, at) => total + value * (vector.values[at] ?? 0) * vector.scale, 0);
      assert.ok(Math.abs(sum / size - 1) < 0.005, `${sum / size}`);
    }),
  );
});

test('numbers without a direction have no vector', () => {
  for (const numbers of [[], [0, 0], [Number.NaN, 1], [1, Number.NEGATIVE_INFINITY]])
    assert.equal(toVector(numbers), null);
});

test('very small and very large numbers have a direction of length 1 as well', () => {
  for (const size of [Number.MIN_VALUE, 1e-310, 1e-200, 1e-160, 1e160, 1e200, Number.MAX_VALUE / 2]) {
    const vector = toVector([size, size, 0, -2 * size]);
    assert.deepEqual([...(vector?.values ?? [])], [64, 64, 0, -127]);
    const length = Math.hypot(...(vector?.values ?? [])) * (vector?.scale ?? 0);
    assert.ok(Math.abs(length - 1) < 0.01, `${size}: ${length}`);
  }
});

test('the largest number becomes 127 of its sign', () => {
  assert.deepEqual([...(toVector([1, -2, 0.5, 0])?.values ?? [])], [64, -127, 32, 0]);
});

test('the bytes of the kernel are what dots.wat says', async () => {
  const wabt = await openWabt();
  const source = readFileSync(join(import.meta.dirname, 'dots.wat'), 'utf8');
  const module = wabt.parseWat('dots.wat', source, { simd: true });
  const { buffer } = module.toBinary({});
  assert.deepEqual(Buffer.from(buffer), Buffer.from(kernelBytes()));
});

test('products are those of a plain loop, for any width, number of rows and number of vectors', () => {
  const shape = fc.record({
    width: fc.integer({ min: 1, max: 32 }).map((steps) => 16 * steps),
    rows: fc.integer({ min: 0, max: 12 }),
    vectors: fc.integer({ min: 1, max: 9 }),
    seed: fc.integer({ min: 1, max: 0x7fffffff }),
  });
  fc.assert(
    fc.property(shape, ({ width, rows, vectors, seed }) => {
      const random = seeded(seed);
      const left = Int8Array.from({ length: rows * width }, () => between(random, -128, 127));
      const right = Int16Array.from({ length: vectors * width }, () => between(random, -32_767, 32_767));
      assert.deepEqual(multiply(left, right, width), plainProducts(left, right, width));
    }),
    { numRuns: 300 },
  );
});

test('the largest numbers of either sign do not overflow', () => {
  for (const width of [16, 512]) {
    for (const row of [127, -127, -128]) {
      for (const value of [32_767, -32_767]) {
        const left = new Int8Array(2 * width).fill(row);
        const right = new Int16Array(5 * width).fill(value);
        assert.deepEqual(multiply(left, right, width), new Int32Array(10).fill(row * value * width));
      }
    }
  }
});

test('more room keeps what was written', () => {
  const dots = new Dots();
  new Uint8Array(dots.buffer, 32, 3).set([1, 2, 3]);
  dots.reserve(10 * 65_536 + 1);
  assert.equal(dots.buffer.byteLength, 11 * 65_536);
  assert.deepEqual([...new Uint8Array(dots.buffer, 32, 3)], [1, 2, 3]);
  dots.reserve(5);
  assert.equal(dots.buffer.byteLength, 11 * 65_536);
});

/** By the kernel, with rows that do not begin at 0 and with marks around the products that must stay. */
function multiply(left: Int8Array, right: Int16Array, width: number): Int32Array {
  const dots = new Dots();
  const rows = left.length / width;
  const vectors = right.length / width;
  const vectorsAt = 16 + left.length;
  const out = vectorsAt + 2 * right.length + 4;
  dots.reserve(out + 4 * rows * vectors + 4);
  new Int8Array(dots.buffer, 16, left.length).set(left);
  new Int16Array(dots.buffer, vectorsAt, right.length).set(right);
  const around = new Int32Array(dots.buffer, out - 4, rows * vectors + 2).fill(-7);
  dots.multiply(16, rows, width, vectorsAt, vectors, out);
  assert.deepEqual([around[0], around.at(-1)], [-7, -7]);
  return around.slice(1, -1);
}

function plainProducts(left: Int8Array, right: Int16Array, width: number): Int32Array {
  const rows = left.length / width;
  return Int32Array.from({ length: (rows * right.length) / width }, (_, at) => {
    const row = at % rows;
    const vector = (at - row) / rows;
    let sum = 0;
    for (let place = 0; place < width; place += 1)
      sum += (left[row * width + place] ?? 0) * (right[vector * width + place] ?? 0);
    return sum;
  });
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

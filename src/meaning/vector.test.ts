/** A vector keeps the direction of the numbers it was made of. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toVector } from './vector.ts';

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

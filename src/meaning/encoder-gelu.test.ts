/** The activation against values of the error function that are known to many digits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyGelu } from './encoder-gelu.ts';

const known: readonly (readonly [number, number])[] = [
  [-7, 0],
  [-6, 0],
  [-3, -0.00404969409],
  [-1, -0.15865525393],
  [-0.5, -0.15426876936],
  [0, 0],
  [0.001953125, 0.00097808431],
  [0.5, 0.34573123063],
  [1, 0.84134474606],
  [2, 1.9544997361],
  [5.999, 5.999],
  [6, 6],
  [1e6, 1e6],
];

test('values are right to two millionths, between the steps of the table and outside of it', () => {
  const numbers = Float32Array.from(known, ([value]) => value);
  applyGelu(numbers, numbers.length);
  for (const [at, [value, result]] of known.entries())
    assert.ok(Math.abs((numbers[at] ?? 0) - result) < 2e-6, `${value} became ${numbers[at]}`);
});

test('numbers behind the count are left alone', () => {
  const numbers = Float32Array.of(-1, -1);
  applyGelu(numbers, 1);
  assert.equal(numbers[1], -1);
});

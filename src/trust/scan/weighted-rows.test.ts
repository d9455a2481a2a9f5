/** Tests of weighted rows: the kernel of `weighted-rows.wat` adds like a plain loop. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import openWabt from 'wabt';
import { RowMemory, rowKernelBytes, WeightedRows } from './weighted-rows.ts';

test('the bytes of the kernel are what weighted-rows.wat says', async () => {
  const wabt = await openWabt();
  const source = readFileSync(join(import.meta.dirname, 'weighted-rows.wat'), 'utf8');
  const { buffer } = wabt.parseWat('weighted-rows.wat', source, { simd: true }).toBinary({});
  assert.deepEqual(Buffer.from(buffer), Buffer.from(rowKernelBytes()));
});

const number = fc.oneof(fc.constant(0), fc.float({ min: -4, max: 4, noNaN: true }));

function floats(count: number): fc.Arbitrary<Float32Array> {
  return fc.array(number, { minLength: count, maxLength: count }).map((numbers) => Float32Array.from(numbers));
}

const cases = fc
  .record({ rows: fc.integer({ min: 1, max: 40 }), columns: fc.integer({ min: 1, max: 40 }) })
  .chain(({ rows, columns }) =>
    fc.record({
      columns: fc.constant(columns),
      weights: floats(rows * columns),
      input: floats(rows),
      sums: floats(columns),
    }),
  );

test('sums are those of a plain loop in float32, for any number of rows and columns', () => {
  const memory = new RowMemory();
  fc.assert(
    fc.property(cases, fc.nat(), ({ columns, weights, input, sums }, skipped) => {
      const row = skipped % input.length;
      const output = Float32Array.from(sums);
      new WeightedRows(memory, weights, columns).add(input, 0, input.length - row, row, output);
      assert.deepEqual(output, plainly(input.subarray(0, input.length - row), weights.subarray(row * columns), sums));
    }),
  );
});

test('more rows than the list holds are added in parts, and layers of one memory keep apart', () => {
  const memory = new RowMemory();
  const count = 3_000;
  const [one, other] = [1, 2].map((weight) => new WeightedRows(memory, new Float32Array(count).fill(weight), 1));
  const input = new Float32Array(count).fill(1);
  const [sum, twice] = [Float32Array.of(5), Float32Array.of(0)];
  one?.add(input, 0, count, 0, sum);
  other?.add(input, 0, count, 0, twice);
  assert.deepEqual([sum[0], twice[0]], [count + 5, 2 * count]);
});

function plainly(input: Float32Array, weights: Float32Array, sums: Float32Array): Float32Array {
  const output = Float32Array.from(sums);
  for (const [row, factor] of input.entries())
    if (factor !== 0)
      for (let to = 0; to < output.length; to += 1)
        output[to] = (output[to] ?? 0) + Math.fround(factor * (weights[row * output.length + to] ?? 0));
  return output;
}

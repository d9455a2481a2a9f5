/** The encoder against the same network computed by plain loops, on weights made up here. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type TinyEncoder, type TinyLinear, type TinyNorm, writeTinyEncoder } from '../../../test/kit/tiny-encoder.ts';
import type { Vector } from '../vector.ts';
import { applyGelu, Encoder } from './encoder.ts';

const folder = mkdtempSync(join(tmpdir(), 'encoder-'));
after(() => rmSync(folder, { recursive: true }));

const words = (...numbers: number[]) => numbers.map((number) => `word${number}`).join(' ');
const many = (count: number) => Array.from({ length: count }, (_, at) => 110 + ((at * 37) % 80));

test('vectors are those of the same network in plain numbers, whatever the length of the text', () => {
  const tiny = writeTinyEncoder(join(folder, 'plain'));
  const encoder = Encoder.read(tiny.folder, tiny.vocabulary);
  for (const numbers of [[150], [150, 151], [151, 150], [110, 199, 142], many(13), many(22)]) {
    assertSame(encoder.vectorOf(words(...numbers)), expected(tiny, [101, ...numbers, 102]));
  }
});

test('all sizes come from the headers', () => {
  const shape = { pieces: 150, width: 48, inner: 16, heads: 3, layers: 3, positions: 9 };
  const tiny = writeTinyEncoder(join(folder, 'other'), shape);
  const encoder = Encoder.read(tiny.folder, tiny.vocabulary);
  assertSame(encoder.vectorOf(words(120, 121)), expected(tiny, [101, 120, 121, 102]));
});

test('a long text is cut where the positions end, and at 160 pieces where they do not', () => {
  const short = writeTinyEncoder(join(folder, 'short'), { positions: 9 });
  assertSame(
    Encoder.read(short.folder, short.vocabulary).vectorOf(words(...many(300))),
    expected(short, [101, ...many(7), 102]),
  );
  const long = writeTinyEncoder(join(folder, 'long'), { positions: 256 });
  assertSame(
    Encoder.read(long.folder, long.vocabulary).vectorOf(words(...many(300))),
    expected(long, [101, ...many(158), 102]),
  );
});

test('a vector does not depend on the texts before it', () => {
  const tiny = writeTinyEncoder(join(folder, 'before'));
  const encoder = Encoder.read(tiny.folder, tiny.vocabulary);
  const first = encoder.vectorOf(words(130, 131, 132));
  encoder.vectorOf(words(...many(20)));
  assert.deepEqual(encoder.vectorOf(words(130, 131, 132)), first);
});

test('a text without a piece has no vector; a word outside the vocabulary or the table is the unknown piece', () => {
  const tiny = writeTinyEncoder(join(folder, 'unknown'));
  writeFileSync(tiny.vocabulary, `${readFileSync(tiny.vocabulary, 'utf8')}\nbeyond`);
  const encoder = Encoder.read(tiny.folder, tiny.vocabulary);
  assert.equal(encoder.vectorOf(' \n'), null);
  assertSame(encoder.vectorOf('nowhere'), expected(tiny, [101, 100, 102]));
  assertSame(encoder.vectorOf('beyond'), expected(tiny, [101, 100, 102]));
});

test('files that are cut short or do not belong together are refused', () => {
  const tiny = writeTinyEncoder(join(folder, 'cut'));
  const layers = join(tiny.folder, 'encoder.layers');
  const whole = readFileSync(layers);
  writeFileSync(layers, whole.subarray(0, whole.length - 16));
  assert.throws(() => Encoder.read(tiny.folder, tiny.vocabulary), { code: 'MODEL_BROKEN' });
  writeFileSync(layers, Buffer.from(whole.toString('latin1').replace('"id":"tiny"', '"id":"tidy"'), 'latin1'));
  assert.throws(() => Encoder.read(tiny.folder, tiny.vocabulary), { code: 'MODEL_BROKEN' });
  writeFileSync(layers, whole);
  assert.ok(Encoder.read(tiny.folder, tiny.vocabulary).vectorOf('word120'));
});

/** Apart from the rounding of the vector itself. */
function assertSame(vector: Vector | null, numbers: readonly number[]): void {
  assert.ok(vector);
  assert.equal(vector.values.length, numbers.length);
  const length = Math.hypot(...numbers);
  for (const [at, value] of vector.values.entries()) {
    const difference = Math.abs(value * vector.scale - (numbers[at] ?? 0) / length);
    assert.ok(difference < 0.6 * vector.scale, `number ${at} is off by ${difference / vector.scale} steps`);
  }
}

function expected(tiny: TinyEncoder, pieces: readonly number[]): number[] {
  let states = pieces.map((piece, at) => normal(plus(tiny.pieceRows[piece], tiny.positionRows[at]), tiny.norm));
  for (const layer of tiny.layers) {
    const queries = states.map((state) => linear(layer.query, state));
    const keys = states.map((state) => linear(layer.key, state));
    const values = states.map((state) => linear(layer.value, state));
    const taken = attention(queries, keys, values, tiny.shape.heads);
    states = states.map((state, at) => normal(plus(state, linear(layer.mixing, taken[at] ?? [])), layer.mixingNorm));
    states = states.map((state) => {
      const wide = linear(layer.widening, state).map((value) => (value * (1 + erf(value / Math.SQRT2))) / 2);
      return normal(plus(state, linear(layer.narrowing, wide)), layer.narrowingNorm);
    });
  }
  return states.reduce((sum, state) => plus(sum, state));
}

function attention(queries: number[][], keys: number[][], values: number[][], heads: number): number[][] {
  const width = queries[0]?.length ?? 0;
  const headWidth = width / heads;
  return queries.map((query) =>
    query.map((_, at) => {
      const start = Math.floor(at / headWidth) * headWidth;
      const part = (numbers: readonly number[]) => numbers.slice(start, start + headWidth);
      const weights = keys.map((key) => Math.exp(dot(part(query), part(key)) / Math.sqrt(headWidth)));
      const total = weights.reduce((sum, weight) => sum + weight);
      return weights.reduce((sum, weight, token) => sum + (weight / total) * (values[token]?.[at] ?? 0), 0);
    }),
  );
}

function linear({ rows, bias }: TinyLinear, input: readonly number[]): number[] {
  return rows.map((row, at) => dot(row, input) + (bias[at] ?? 0));
}

function normal(numbers: readonly number[], { weights, bias }: TinyNorm): number[] {
  const mean = numbers.reduce((sum, value) => sum + value) / numbers.length;
  const variance = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / numbers.length;
  return numbers.map(
    (value, at) => ((value - mean) / Math.sqrt(variance + 1e-12)) * (weights[at] ?? 0) + (bias[at] ?? 0),
  );
}

function plus(left: readonly number[] = [], right: readonly number[] = []): number[] {
  return left.map((value, at) => value + (right[at] ?? 0));
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
}

/** Maclaurin's series, exact enough as far as it is used. */
function erf(value: number): number {
  if (Math.abs(value) > 4.5) return Math.sign(value);
  let term = value;
  let sum = value;
  for (let at = 1; at < 120; at += 1) {
    term *= (-value * value) / at;
    sum += term / (2 * at + 1);
  }
  return (2 * sum) / Math.sqrt(Math.PI);
}

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

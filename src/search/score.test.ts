/** Arrays that are used again are as good as new, and never shared while they are in use. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScoreArrays } from './score.ts';

test('a reused buffer holds nothing of its last use', () => {
  const arrays = new ScoreArrays();
  const first = arrays.take(3).fill(7);
  arrays.releaseAll();
  const again = arrays.take(3);
  assert.equal(again, first);
  assert.deepEqual([...again], [0, 0, 0]);
});

test('until they are released, no array is handed out twice, however many are taken', () => {
  const arrays = new ScoreArrays();
  for (let round = 0; round < 3; round += 1) {
    const taken = Array.from({ length: 20 }, (_, at) => arrays.take(4).fill(at + 1));
    assert.equal(new Set(taken).size, 20);
    for (const [at, array] of taken.entries()) assert.deepEqual([...array], new Array(4).fill(at + 1));
    arrays.releaseAll();
  }
});

test('a few are kept, the others let go', () => {
  const arrays = new ScoreArrays();
  const takeMany = () => Array.from({ length: 20 }, () => arrays.take(4));
  const before = takeMany();
  arrays.releaseAll();
  const kept = takeMany().filter((array, at) => array === before[at]);
  assert.ok(kept.length >= 2 && kept.length <= 10, `${kept.length}`);
});

test('a catalog that has grown or shrunk gets arrays of its length, and they are kept from then on', () => {
  const arrays = new ScoreArrays();
  arrays.take(3).fill(1);
  arrays.releaseAll();
  const longer = arrays.take(5);
  assert.deepEqual([...longer], [0, 0, 0, 0, 0]);
  arrays.releaseAll();
  assert.equal(arrays.take(5), longer);
  arrays.releaseAll();
  assert.equal(arrays.take(0).length, 0);
});

test('a copy has the numbers of its source and a life of its own', () => {
  const arrays = new ScoreArrays();
  const source = Float32Array.of(0.5, 2);
  const copy = arrays.copyOf(source);
  copy[0] = 9;
  assert.deepEqual([...source], [0.5, 2]);
  assert.deepEqual([...copy], [9, 2]);
  assert.notEqual(arrays.copyOf(copy), copy);
});

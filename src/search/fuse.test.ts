/** How words and meaning are weighed against each other. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuse, trustIn, weightAt } from './fuse.ts';

const everyVector = () => true;
/** One tool that only words speak for, one that only meaning speaks for. */
const words = Float64Array.of(1, 0);
const meaning = Float32Array.of(0, 0.5);

test('words are trusted as far as the best tool answers what can be expected, and no further than in full', () => {
  assert.equal(trustIn(0, 5), 0);
  assert.equal(trustIn(5, 5), 1);
  assert.ok(trustIn(1, 5) < trustIn(2, 5));
  assert.equal(trustIn(1, 0), 0);
});

test('trusted words outweigh meaning, words that say little give way to it, words that say nothing do not count', () => {
  const [byWords = 0, byMeaning = 0] = fuse(
    words,
    meaning,
    0.5,
    weightAt(1),
    everyVector,
    new Float64Array(words.length),
  );
  assert.ok(byWords > byMeaning);
  const [byFewWords = 0, byMeaningThen = 0] = fuse(
    words,
    meaning,
    0.5,
    weightAt(0.3),
    everyVector,
    new Float64Array(words.length),
  );
  assert.ok(byMeaningThen > byFewWords && byFewWords > 0);
  assert.deepEqual([...fuse(words, meaning, 0.5, weightAt(0), everyVector, new Float64Array(words.length))], [0, 1]);
});

test('the best possible score is 1 at any trust, so that what is added to it weighs the same', () => {
  for (const trust of [0, 0.2, 1]) {
    const [score = 0] = fuse(
      Float64Array.of(1),
      Float32Array.of(0.4),
      0.4,
      weightAt(trust),
      everyVector,
      new Float64Array(1),
    );
    assert.ok(Math.abs(score - 1) < 1e-6, `${score} at ${trust}`);
  }
});

test('a tool without a vector is taken at its words', () => {
  assert.deepEqual(
    [...fuse(Float64Array.of(0.7), Float32Array.of(0), 0.5, weightAt(0.3), () => false, new Float64Array(1))],
    [0.7],
  );
});

/** How words and meaning are weighed against each other. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addParts, fuse, trustIn, weightAt } from './fuse.ts';

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

test('a tool without a vector is taken at its words, less a little: above one that means something else, below one that fits', () => {
  // The first two are known, the third is not.
  const equal = Float64Array.of(0.7, 0.7, 0.7);
  const near = Float32Array.of(0.5, 0, 0);
  for (const trust of [0.3, 1]) {
    const [fits = 0, strange = 0, unknown = 0] = fuse(
      equal,
      near,
      0.5,
      weightAt(trust),
      (slot) => slot < 2,
      new Float64Array(3),
    );
    assert.ok(fits > unknown && unknown > strange, `${fits}, ${unknown}, ${strange} at ${trust}`);
    assert.ok(unknown < 0.7 && unknown > 0.7 / 2, `${unknown} at ${trust}`);
  }
});

test('without words nothing is presumed of a tool whose meaning is not known', () => {
  const [score] = fuse(Float64Array.of(0), Float32Array.of(0), 0.5, weightAt(1), () => false, new Float64Array(1));
  assert.equal(score, 0);
});

test('the best sentence of a long query counts besides the whole, the others do not', () => {
  const whole = Float64Array.of(0.9, 1, 0.5);
  addParts(whole, [Float64Array.of(1, 0.4, 0), Float64Array.of(0, 0.4, 0)]);
  const [one = 0, spread = 0, none = 0] = whole;
  assert.ok(one > spread, 'a sentence that is answered in full decides between near equals');
  assert.ok(one - 0.9 > 2 * (spread - 1), 'two halves are not added up');
  assert.ok(one - 0.9 < 0.9, 'the whole counts more');
  assert.equal(none, 0.5);
});

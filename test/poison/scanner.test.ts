/** The detector of poisoned definitions on the half of the corpus that it was made with; the other half is for `bench/scanner.ts`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanDefinition } from '../../src/trust/scan/scan.ts';
import { neighboursOfSample } from './neighbours.ts';
import { isHeldOut, readCorpus, type Sample } from './read-corpus.ts';

const samples = readCorpus().filter((sample) => !isHeldOut(sample));
const findingsOf = (sample: Sample) => scanDefinition(sample.definition, neighboursOfSample(sample));
const isHeld = (sample: Sample) => findingsOf(sample).some(({ weight }) => weight === 'hard');

function heldShare(of: (sample: Sample) => boolean): number {
  const those = samples.filter(of);
  return those.filter(isHeld).length / those.length;
}

test('at least 90 of 100 poisoned definitions are held back', () => {
  const recall = heldShare(({ label }) => label === 'bad');
  assert.ok(recall >= 0.9, `${recall}`);
});

test('at most 4 of 100 benign definitions are held back', () => {
  const falsePositives = heldShare(({ label }) => label === 'benign');
  assert.ok(falsePositives <= 0.04, `${falsePositives}`);
});

for (const kind of ['hidden-characters', 'encoded', 'shadowing', 'cross-server']) {
  test(`of the kind ${kind}, nine of ten are held back`, () => {
    assert.ok(heldShare((sample) => sample.label === 'bad' && sample.kind === kind) >= 0.9);
  });
}

test('security tools that quote attacks are not taken for attacks', () => {
  assert.ok(heldShare((sample) => sample.label === 'benign' && sample.kind === 'security') <= 0.1);
});

test('every finding names a place and says in a sentence without hidden characters what is wrong there', () => {
  const hidden =
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069]|[\ufe00-\ufe0e]|[\u{e0000}-\u{e01ef}]/u;
  for (const sample of samples) {
    for (const { where, sentence } of findingsOf(sample)) {
      assert.ok(where !== '' && /^[A-Z].*\.$/su.test(sentence), `${sample.id}: ${sentence}`);
      assert.ok(!hidden.test(sentence), sample.id);
    }
  }
});

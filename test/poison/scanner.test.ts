/** The detector of poisoned definitions on the collections that it was made with; the one that is held out is for `bench/scanner.ts`. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanDefinition } from '../../src/trust/scan/scan.ts';
import { neighboursOfSample } from './neighbours.ts';
import { isHeldOut, readCorpus, type Sample } from './read-corpus.ts';

const samples = readCorpus().filter((sample) => !isHeldOut(sample));
const known = new Map<Sample, ReturnType<typeof scanDefinition>>();
const isHeld = (sample: Sample) => findingsOf(sample).some(({ weight }) => weight === 'hard');

/** Each sample is scanned once for all tests. */
function findingsOf(sample: Sample): ReturnType<typeof scanDefinition> {
  const found = known.get(sample) ?? scanDefinition(sample.definition, neighboursOfSample(sample));
  known.set(sample, found);
  return found;
}

function heldShare(of: (sample: Sample) => boolean): number {
  const those = samples.filter(of);
  return those.filter(isHeld).length / those.length;
}

test('at least 88 of 100 poisoned definitions are held back', () => {
  const recall = heldShare(({ label }) => label === 'bad');
  assert.ok(recall >= 0.88, `${recall}`);
});

test('at most 4 of 100 benign definitions are held back', () => {
  const falsePositives = heldShare(({ label }) => label === 'benign');
  assert.ok(falsePositives <= 0.04, `${falsePositives}`);
});

/** Honest servers have plain equal names too, and each tool is reached by its own server's name: those are let through. */
const leastOf = { 'hidden-characters': 0.95, encoded: 0.9, 'cross-server': 0.9, shadowing: 0.7 };
for (const [kind, least] of Object.entries(leastOf)) {
  test(`of the kind ${kind}, at least ${least * 100} of 100 are held back`, () => {
    const share = heldShare((sample) => sample.label === 'bad' && sample.kind === kind);
    assert.ok(share >= least, `${share}`);
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

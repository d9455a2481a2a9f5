/** The corpus of tool definitions is large enough, well formed and without repetition, and what is held out is large enough alone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHeldOut, readCorpus, type Sample } from './read-corpus.ts';

const labels = ['bad', 'benign'] as const;
const fewest: Readonly<Record<Sample['label'], number>> = { bad: 200, benign: 400 };

const samples = readCorpus();
const labelled = (label: Sample['label']) => samples.filter((sample) => sample.label === label && isHeldOut(sample));

for (const label of labels) {
  test(`what is held out has at least ${fewest[label]} ${label} samples`, (context) => {
    const kinds = Map.groupBy(labelled(label), ({ kind }) => kind);
    context.diagnostic([...kinds].map(([kind, { length }]) => `${kind} ${length}`).join(', '));
    assert.ok(labelled(label).length >= fewest[label], `${labelled(label).length}`);
  });
}

test('every sample has a known label and a definition that a server could send', () => {
  for (const { id, label, kind, server, definition, note } of samples) {
    assert.ok(labels.includes(label), id);
    for (const text of [kind, server, note, definition.name]) assert.ok(typeof text === 'string' && text !== '', id);
    assert.equal(definition.inputSchema.type, 'object', id);
  }
});

test('no id is given twice', () => {
  assert.deepEqual(
    repeated(samples, ({ id }) => id),
    [],
  );
});

test('no definition stands in the corpus twice, under either label', () => {
  assert.deepEqual(
    repeated(samples, ({ definition }) => JSON.stringify(definition)),
    [],
  );
});

test('no description of more than a few words is used twice', () => {
  const described = samples.filter(({ definition }) => (definition.description ?? '').length > 40);
  assert.deepEqual(
    repeated(described, ({ definition }) => `${definition.description}`),
    [],
  );
});

/** Ids of the samples that share a key with another one. */
function repeated(among: readonly Sample[], keyOf: (sample: Sample) => string): string[] {
  return [...Map.groupBy(among, keyOf).values()]
    .filter(({ length }) => length > 1)
    .flatMap((group) => group.map(({ id }) => id));
}

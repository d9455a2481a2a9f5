/** The texts to scan: their side of a tool, and the notice about texts left out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxChars, maxTexts, textsToScan } from './texts-to-scan.ts';

const arrays = (levels: number): unknown => (levels === 0 ? 'deep' : [arrays(levels - 1)]);

test('texts about input, output and the tool itself are told apart', () => {
  const { texts } = textsToScan({
    description: 'Reads.',
    inputSchema: { title: 'In.' },
    arguments: [{ description: 'One.' }],
    outputSchema: { title: 'Out.' },
  });
  const sides = texts.map(({ where, side }) => [where, side]);
  assert.deepEqual(Object.fromEntries(sides), {
    description: 'tool',
    'inputSchema.title': 'input',
    'arguments.0.description': 'input',
    'outputSchema.title': 'output',
  });
});

test('texts that just fit are scanned whole', () => {
  for (const chars of [maxChars, maxChars + 1])
    assert.equal(textsToScan({ description: 'x'.repeat(chars) }).isCut, chars > maxChars);
});

test('nested lists are followed up to a depth', () => {
  assert.deepEqual(
    [40, 60].map((levels) => textsToScan({ annotations: arrays(levels) }).isCut),
    [false, true],
  );
});

test('a definition with very many members is cut, even if none of them is a text', () => {
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [at, {}]));
  assert.equal(textsToScan({ annotations: members(10) }).isCut, false);
  assert.equal(textsToScan({ annotations: members(5 * maxTexts) }).isCut, true);
});

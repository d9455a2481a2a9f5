/** Defaults that change: which of them wait for the owner. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeChange } from './judge-change.ts';
import type { Neighbours } from './judgement.ts';

const neighbours: Neighbours = { server: 'notes', ownNames: new Set(), others: new Map() };

/** The codes of the risky reasons when one default becomes another. */
function risksOf(was: unknown, now: unknown): string[] {
  const definition = (value: unknown) => ({
    name: 'list_notes',
    description: 'Lists notes of a folder.',
    inputSchema: { type: 'object', properties: { where: value === undefined ? {} : { default: value } } },
  });
  const { grade, reasons } = judgeChange(definition(was), definition(now), neighbours);
  return grade === 'risky' ? reasons.map(({ code }) => code) : [];
}

test('a number may change a little; another text, list or switch waits', () => {
  assert.deepEqual([risksOf(10, 20), risksOf(10, 10)], [[], []]);
  for (const [was, now] of [
    [10, 100],
    [10, 0],
    [10, 'all'],
    ['all', 10],
    ['inbox', 'outbox'],
    [true, false],
  ])
    assert.ok(risksOf(was, now).includes('default'), `${was} → ${now}`);
});

test('a new default waits if any part of it stands for everything', () => {
  assert.ok(!risksOf(undefined, ['inbox', 'outbox']).includes('default'));
  assert.ok(risksOf(undefined, ['inbox', '/']).includes('default'));
});

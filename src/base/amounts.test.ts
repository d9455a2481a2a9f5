/** Tests of how times are told. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agoInWords } from './amounts.ts';

test('how long ago and in how long, in the largest unit that fits', () => {
  const now = Date.parse('2026-03-12T15:20:00Z');
  const told = (seconds: number) => agoInWords(new Date(now + seconds * 1_000).toISOString(), now);
  assert.deepEqual([0, 12, -59, -60, -3_599, -7_300].map(told), [
    ...['now', 'in 12 seconds', '59 seconds ago', '1 minute ago', '59 minutes ago', '2 hours ago'],
  ]);
  assert.equal(told(-86_400), 'yesterday');
});

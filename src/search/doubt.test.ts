/** Tests of the doubt in tools that fail: it grows with the evidence, and passes when they work again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reliability } from './alternatives/worth.ts';
import { doubtIn } from './doubt.ts';

const now = 1_000_000_000;
const hour = 3_600_000;

function calls(ok: number, tool: number, more: Partial<Reliability> = {}): Reliability {
  const outcomes = { ok, tool, server: 0, timeout: 0, arguments: 0, cancelled: 0, refused: 0 };
  return { outcomes, failuresInARow: 0, lastError: null, lastOkAt: null, successRate: null, ...more };
}

test('a tool that was never called or works is not doubted', () => {
  assert.equal(doubtIn(undefined, now), 0);
  assert.equal(doubtIn(calls(0, 0), now), 0);
  assert.equal(doubtIn(calls(50, 0), now), 0);
  assert.equal(doubtIn(calls(90, 10), now), 0);
});

test('the more calls failed, the greater the doubt, up to a bound', () => {
  const doubts = [1, 3, 10, 100].map((failed) => doubtIn(calls(0, failed), now));
  assert.deepEqual(
    doubts,
    doubts.toSorted((a, b) => a - b),
  );
  assert.ok(doubts[0] !== undefined && doubts[0] > 0 && doubts[0] < 0.05, 'one failure is little evidence');
  assert.ok(doubts[2] !== undefined && doubts[2] > 0.15);
  assert.ok(doubts.every((doubt) => doubt <= 0.2));
});

test('one that fails again and again just now is doubted whatever its past, until a while has passed', () => {
  const lately = { failuresInARow: 4, lastError: { at: now - 1_000, errorType: 'TIMEOUT' as const, message: '' } };
  assert.equal(doubtIn(calls(1_000, 4, lately), now), 0.1);
  assert.equal(doubtIn(calls(1_000, 4, lately), now + 2 * hour), 0);
});

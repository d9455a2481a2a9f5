/** Outcomes count little after one call, clearly more after five, and as a malus once failure is certain. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boostOf, maxBoost, successBounds } from './boost-of.ts';

const calls = fc.double({ min: 0, max: 1_000, noNaN: true });

test('one lucky call proves nothing, five good ones lift clearly', () => {
  assert.ok(boostOf(1, 0) > 0 && boostOf(1, 0) <= 0.04, `${boostOf(1, 0)}`);
  assert.ok(boostOf(5, 0) > 0.16, `${boostOf(5, 0)}`);
  assert.ok(boostOf(100, 0) > 0.95 * maxBoost);
});

test('one failure takes nothing away, many take away half of what success can give', () => {
  assert.equal(boostOf(0, 1), 0);
  assert.ok(boostOf(0, 5) < -0.04, `${boostOf(0, 5)}`);
  assert.ok(boostOf(0, 1_000) < -0.99 * (maxBoost / 2));
});

test('a tool that works every other time is neither lifted like a good one nor pushed down', () => {
  const boost = boostOf(10, 10);
  assert.ok(boost > 0 && boost < boostOf(20, 0) / 2, `${boost}`);
});

test('without calls there is no boost', () => {
  assert.equal(boostOf(0, 0), 0);
});

test('it stays within its bounds, grows with success and shrinks with failure', () => {
  fc.assert(
    fc.property(calls, calls, (good, bad) => {
      const boost = boostOf(good, bad);
      assert.ok(boost <= maxBoost && boost >= -maxBoost / 2, `${boost}`);
      assert.ok(boostOf(good + 1, 0) >= boostOf(good, 0));
      assert.ok(boostOf(0, bad + 1) <= boostOf(0, bad));
    }),
  );
});

test('the bounds hold the rate that was seen and close in on it', () => {
  fc.assert(
    fc.property(calls, calls, (good, bad) => {
      fc.pre(good + bad > 0);
      const rate = good / (good + bad);
      const [few, many] = [successBounds(good, bad), successBounds(4 * good, 4 * bad)];
      assert.ok(few.lower <= rate + 1e-9 && rate <= few.upper + 1e-9);
      assert.ok(many.upper - many.lower <= few.upper - few.lower + 1e-9);
    }),
  );
  // (8 + 0.8192 ± 1.28 √(1.6 + 0.4096)) / 11.6384
  const { lower, upper } = successBounds(8, 2);
  assert.deepEqual([lower.toFixed(3), upper.toFixed(3)], ['0.602', '0.914']);
});

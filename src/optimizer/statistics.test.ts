/** Intervals and tests against values that others published. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mcnemar, wilson } from './statistics.ts';

function isNear(found: number, expected: number): void {
  assert.ok(Math.abs(found - expected) <= 1e-6, `${found} is not ${expected}`);
}

test("[OPT-20] Wilson's interval is that of binom.confint in R", () => {
  const published = [
    [18, 20, 0.6989663547715128, 0.972133518786232],
    [4, 20, 0.0806576625797981, 0.4160174322518935],
    [4, 200, 0.00780442641634947, 0.05028708690582643],
    [190, 200, 0.910421851861224, 0.972617354399236],
    [1, 30, 0.00590859, 0.16670391],
    [29, 30, 0.8332961, 0.9940914],
    [0, 30, 0, 0.11351339],
    [30, 30, 0.8864866, 1],
    [10, 50, 0.1124375, 0.3303711],
  ] as const;
  for (const [right, all, low, high] of published) {
    const found = wilson(right, all);
    isNear(found.low, low);
    isNear(found.high, high);
  }
  assert.deepEqual(wilson(0, 0), { low: 0, high: 1 });
});

test("[OPT-20] McNemar's exact test is that of Vassar College, and of the binomial table", () => {
  const published = [
    [121, 59, 0.000004],
    [70, 59, 0.378688],
    [80, 59, 0.089452],
    [30, 60, 0.00206],
    [10, 30, 0.002221],
    [10, 10, 1],
    [9, 1, 0.021484375],
    [5, 0, 0.0625],
    [0, 0, 1],
  ] as const;
  for (const [better, worse, twoSided] of published) isNear(mcnemar(better, worse).twoSided, twoSided);
  isNear(mcnemar(9, 1).oneSided, 0.0107421875);
  isNear(mcnemar(1, 9).oneSided, 0.9990234375);
  isNear(mcnemar(5, 0).oneSided, 0.03125);
  isNear(mcnemar(0, 5).oneSided, 1);
});

test('the exact test is exact for any counts, as whole numbers without limit find', () => {
  fc.assert(
    fc.property(fc.nat(600), fc.nat(600), (better, worse) => {
      const throws = better + worse;
      let choose = 1n;
      let sum = 0n;
      for (let tails = 0; tails <= worse; tails += 1) {
        sum += choose;
        choose = (choose * BigInt(throws - tails)) / BigInt(tails + 1);
      }
      const expected = Number((sum * 10n ** 12n) / 2n ** BigInt(throws)) / 1e12;
      assert.ok(Math.abs(mcnemar(better, worse).oneSided - expected) < 1e-9);
    }),
    { numRuns: 50 },
  );
});

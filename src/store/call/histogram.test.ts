/** Durations in buckets: parts add up to the whole, and percentiles are close to the exact ones. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Histogram } from './histogram.ts';

const hourMicros = 3_600_000_000;
/** As many short ones as long ones. */
const micros = fc
  .double({ min: 0, max: Math.log2(24 * hourMicros), noNaN: true })
  .map((power) => Math.round(2 ** power));
const durations = fc.array(micros, { maxLength: 200 });

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

test('parts that are merged in any order are the whole', () => {
  fc.assert(
    fc.property(durations, durations, durations, (a, b, c) => {
      const merged = histogramOf(c);
      merged.merge(histogramOf(a));
      merged.merge(histogramOf(b));
      const whole = histogramOf([...a, ...b, ...c]);
      assert.deepEqual(merged.encode(), whole.encode());
      assert.equal(merged.count, a.length + b.length + c.length);
    }),
  );
});

test('a percentile is within 3.2 % of the exact one, from a microsecond to a day', () => {
  fc.assert(
    fc.property(
      fc.array(micros, { minLength: 1, maxLength: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, share) => {
        const sorted = values.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
        const found = histogramOf(values).quantile(share) ?? Number.NaN;
        assert.ok(Math.abs(found - exact) <= exact * 0.032, `${found} for ${exact}`);
      },
    ),
  );
});

test('a histogram is read as it was written, for any counts', () => {
  fc.assert(
    fc.property(durations, fc.integer({ min: 0, max: 12 }), (values, doublings) => {
      const histogram = histogramOf(values);
      for (let time = 0; time < doublings; time += 1) histogram.merge(Histogram.decode(histogram.encode()));
      const read = Histogram.decode(histogram.encode());
      assert.deepEqual([read.count, read.encode()], [values.length * 2 ** doublings, histogram.encode()]);
    }),
  );
});

test('a histogram of a million calls takes few bytes', () => {
  const histogram = new Histogram();
  for (let at = 0; at < 1_000_000; at += 1) histogram.add(20_000 + (at % 10_000) * 10);
  assert.ok(histogram.encode().length < 250, `${histogram.encode().length}`);
});

test('nothing has no percentile, and odd values count as something', () => {
  assert.equal(new Histogram().quantile(0.5), null);
  assert.deepEqual(new Histogram().encode(), new Uint8Array());
  const odd = histogramOf([-5, 0, 0.4, Number.POSITIVE_INFINITY, 2 ** 60]);
  assert.equal(odd.count, 5);
  assert.equal(odd.quantile(0.5), 0);
  assert.ok((odd.quantile(1) ?? 0) > 10 * 24 * hourMicros);
});

test('bytes that mean nothing are read without an error', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => Histogram.decode(bytes).count >= 0));
});

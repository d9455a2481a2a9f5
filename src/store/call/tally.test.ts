/** A call adds to the sum of its tool: every kind of outcome once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../../../test/kit/many-calls.ts';
import { type CallRecord, outcomeKinds } from './call.ts';
import { dayOf, microsOf, Tally } from './tally.ts';

function tallyOf(...calls: Partial<CallRecord>[]): Tally {
  const tally = new Tally();
  for (const one of calls) tally.add(call(one));
  return tally;
}

test('only failures that the tool or its server is to blame for count in a row, until a success', () => {
  assert.equal(tallyOf({ outcome: 'tool' }, { outcome: 'server' }, { outcome: 'timeout' }).failuresInARow, 3);
  assert.equal(tallyOf({ outcome: 'tool' }, { outcome: 'arguments' }, { outcome: 'cancelled' }).failuresInARow, 1);
  assert.equal(tallyOf({ outcome: 'tool' }, { outcome: 'refused' }, { outcome: 'ok' }).failuresInARow, 0);
  // A cached result is no sign that the tool works again.
  assert.equal(tallyOf({ outcome: 'tool' }, { isCached: true }).failuresInARow, 1);
});

test('durations are those of calls that were answered by the server', () => {
  const tally = tallyOf(...outcomeKinds.map((outcome) => ({ outcome, ms: 2 })), { isCached: true, ms: 9 });
  assert.deepEqual([tally.latency.count, tally.sumMicros], [2, 4_000]);
  assert.deepEqual([tally.count, tally.judged, tally.cached], [8, 5, 1]);
});

test('the last error is the last blamed failure, and outlives a success', () => {
  const tally = tallyOf(
    { outcome: 'timeout', errorType: 'TIMEOUT', error: 'Too late.', at: 5 },
    { outcome: 'arguments', error: 'Wrong.', at: 6 },
    { at: 7 },
  );
  assert.deepEqual(tally.error, { at: 5, errorType: 'TIMEOUT', message: 'Too late.' });
  assert.deepEqual([tally.calledAt, tally.okAt], [7, 7]);
});

test('a duration that makes no sense counts as none or as the longest', () => {
  assert.deepEqual([Number.NaN, -1, 0, 1.2345].map(microsOf), [0, 0, 0, 1_235]);
  assert.ok(Number.isSafeInteger(microsOf(Number.POSITIVE_INFINITY)));
});

test('a day begins at midnight in UTC', () => {
  assert.equal(dayOf(Date.UTC(1970, 0, 2) - 1), 0);
  assert.equal(dayOf(Date.UTC(1970, 0, 2)), 1);
});

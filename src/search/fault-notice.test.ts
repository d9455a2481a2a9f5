/** Faults are reported once and healed once; a failing service is asked again after 30 s, 60 s and so on up to 5 min. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { FaultNotice } from './fault-notice.ts';

const error = new Error('The cloud search at example.test answered HTTP 500.');
const what = 'The cloud search';

test('a failure is told once until it has worked again', () => {
  const notice = new FaultNotice(new ManualClock());
  assert.deepEqual([notice.isFailing, notice.isResting, notice.worked()], [false, false, null]);
  const sentence = 'The cloud search cannot be used for now: The cloud search at example.test answered HTTP 500.';
  assert.equal(notice.failed(what, error), sentence);
  assert.equal(notice.failed(what, error), null);
  assert.ok(notice.isFailing);
  assert.equal(notice.worked(), 'The cloud search answers again.');
  assert.deepEqual([notice.isFailing, notice.isResting, notice.worked()], [false, false, null]);
  assert.equal(notice.failed(what, error), sentence);
});

test('it rests for 30 s, and twice as long after each further failure, up to 5 min', async () => {
  const clock = new ManualClock();
  const notice = new FaultNotice(clock);
  for (const restMs of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
    notice.failed(what, error);
    await clock.advance(restMs - 1);
    assert.ok(notice.isResting, `${restMs}`);
    await clock.advance(1);
    assert.deepEqual([notice.isResting, notice.isFailing], [false, true], `${restMs}`);
  }
});

test('questions that fail together are one failure', async () => {
  const clock = new ManualClock();
  const notice = new FaultNotice(clock);
  for (let round = 0; round < 5; round += 1) notice.failed(what, error);
  await clock.advance(30_000);
  assert.equal(notice.isResting, false);
});

test('after it has worked the waits begin anew', async () => {
  const clock = new ManualClock();
  const notice = new FaultNotice(clock);
  notice.failed(what, error);
  await clock.advance(30_000);
  notice.failed(what, error);
  notice.worked();
  notice.failed(what, error);
  await clock.advance(30_000);
  assert.equal(notice.isResting, false);
});

/** Tests of limits by the minute. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { limits } from '../config/config.ts';
import { RateLimit } from './rate-limit.ts';

test('a minute holds as many as are allowed, and says when there will be room again', async () => {
  const clock = new ManualClock();
  const rate = new RateLimit(clock, () => 60);
  for (let at = 0; at < 60; at += 1) assert.equal(rate.take('a'), undefined);
  assert.equal(rate.take('a'), 1_000);
  assert.equal(rate.take('b'), undefined);
  await clock.advance(400);
  assert.equal(rate.take('a'), 600);
  await clock.advance(600);
  assert.equal(rate.take('a'), undefined);
  assert.equal(rate.take('a'), 1_000);
});

test('unused calls are not saved beyond one minute', async () => {
  const clock = new ManualClock();
  const rate = new RateLimit(clock, () => 2);
  rate.take('a');
  await clock.advance(3_600_000);
  assert.deepEqual([rate.take('a'), rate.take('a'), rate.take('a')], [undefined, undefined, 30_000]);
});

test('0 is no limit, and a limit can be set and lifted while it counts', () => {
  let perMinute = 0;
  const rate = new RateLimit(new ManualClock(), () => perMinute);
  for (let at = 0; at < 1_000; at += 1) assert.equal(rate.take('a'), undefined);
  perMinute = 1;
  assert.equal(rate.take('a'), undefined);
  assert.notEqual(rate.take('a'), undefined);
  perMinute = 0;
  assert.equal(rate.take('a'), undefined);
});

test('very many that come once do not take much memory, and forget those that were quiet longest', () => {
  const rate = new RateLimit(new ManualClock(), () => 1);
  rate.take('first');
  for (let at = 0; at < limits.maxCountedKeys - 1; at += 1) rate.take(`other ${at}`);
  assert.notEqual(rate.take('first'), undefined);
  rate.take('one more');
  assert.equal(rate.take('other 0'), undefined, 'it was forgotten, and counts anew');
  assert.notEqual(rate.take('first'), undefined);
});

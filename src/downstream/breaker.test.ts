/** The breaker: open for 8, then 16, then 30 seconds, half open by itself, closed by one success. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { Breaker, jittered } from './breaker.ts';

const inTheMiddle = () => 0.5;

test('[LINK-33] it opens for 8, 16 and then every 30 seconds', async () => {
  const clock = new ManualClock();
  const breaker = new Breaker(clock, inTheMiddle);
  assert.deepEqual([breaker.remainingMs, breaker.isHalfOpen], [0, false]);
  for (const openMs of [8_000, 16_000, 30_000, 30_000, 30_000]) {
    breaker.fail();
    assert.deepEqual([breaker.remainingMs, breaker.isHalfOpen], [openMs, false]);
    await clock.advance(openMs - 1);
    assert.deepEqual([breaker.remainingMs, breaker.isHalfOpen], [1, false]);
    await clock.advance(1);
    assert.deepEqual([breaker.remainingMs, breaker.isHalfOpen], [0, true]);
  }
});

test('[LINK-33] one success closes it and starts the steps anew', async () => {
  const clock = new ManualClock();
  const breaker = new Breaker(clock, inTheMiddle);
  breaker.fail();
  await clock.advance(8_000);
  breaker.fail();
  breaker.succeed();
  assert.deepEqual([breaker.remainingMs, breaker.isHalfOpen], [0, false]);
  breaker.fail();
  assert.equal(breaker.remainingMs, 8_000);
});

test('the wait that a server asks for counts if it is longer', () => {
  const breaker = new Breaker(new ManualClock(), inTheMiddle);
  breaker.fail(120_000);
  assert.equal(breaker.remainingMs, 120_000);
  breaker.fail(5);
  assert.equal(breaker.remainingMs, 16_000);
});

test('waits vary by a fifth in both directions', () => {
  assert.deepEqual(
    [0, 0.5, 1].map((chance) => jittered(1_000, () => chance)),
    [800, 1_000, 1_200],
  );
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(60_000), (chance, ms) => {
      const wait = jittered(ms, () => chance);
      assert.ok(wait >= Math.floor(ms * 0.8) && wait <= Math.ceil(ms * 1.2) && Number.isInteger(wait));
    }),
  );
});

/** Tests of ending a gateway in the background. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../test/kit/manual-clock.ts';
import { IdleExit } from './start.ts';

function watched(idleMs: number) {
  const clock = new ManualClock();
  const idle = new IdleExit(idleMs, clock);
  const state = { isOver: false };
  void idle.isOver.then(() => {
    state.isOver = true;
  });
  return { clock, idle, state };
}

test('it is over when no agent ever comes', async () => {
  const { clock, idle, state } = watched(1_000);
  idle.agents(0);
  await clock.advance(999);
  assert.equal(state.isOver, false);
  await clock.advance(1);
  assert.equal(state.isOver, true);
});

test('an agent stops the clock, and its leaving starts it anew', async () => {
  const { clock, idle, state } = watched(1_000);
  idle.agents(0);
  await clock.advance(900);
  idle.agents(1);
  await clock.advance(10_000);
  idle.agents(2);
  idle.agents(0);
  await clock.advance(999);
  assert.equal(state.isOver, false);
  await clock.advance(1);
  assert.equal(state.isOver, true);
  assert.deepEqual(clock.waits, []);
});

test('without a time of its own it takes the one of the limits', async () => {
  const clock = new ManualClock();
  (await IdleExit.forBackground(undefined, clock)).agents(0);
  assert.deepEqual(clock.waits, [600_000]);
});

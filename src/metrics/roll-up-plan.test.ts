/** When calls are rolled up: after many of them, once an hour, not too often, and again after a failure. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { type Log, silentLog } from '../base/log.ts';
import type { RollUpOrder, RollUpReport } from '../store/store.ts';
import {
  firstRollUpMs,
  leastPauseMs,
  RollUpPlan,
  rollUpAtCalls,
  rollUpEveryMs,
  sharedRollUpEveryMs,
} from './roll-up-plan.ts';

function setUp(log: Log = silentLog) {
  const clock = new ManualClock();
  const orders: RollUpOrder[] = [];
  const gate = { promise: Promise.resolve() };
  const result: { report: RollUpReport; error?: Error | undefined } = { report: { rolledUp: 0, removed: 0, left: 0 } };
  const store = {
    async rollUpCalls(order: RollUpOrder) {
      orders.push(order);
      await gate.promise;
      if (result.error !== undefined) throw result.error;
      return result.report;
    },
  };
  const replicas = { hasUpkeep: true, isShared: false };
  const plan = new RollUpPlan({ store, clock, log, retentionDays: () => 7, replicas });
  return { clock, orders, result, gate, replicas, plan };
}

test('some time after the start, and then once an hour', async () => {
  const { plan, clock, orders } = setUp();
  plan.open(0);
  await clock.advance(firstRollUpMs - 1);
  assert.equal(orders.length, 0);
  await clock.advance(1);
  assert.equal(orders.length, 1);
  const now = clock.now();
  assert.deepEqual(orders[0], { now, expireBefore: now - 7 * 24 * 60 * 60 * 1_000 });
  await clock.advance(3 * rollUpEveryMs);
  assert.equal(orders.length, 4);
});

test('at once when many calls were left from before', async () => {
  const { plan, clock, orders } = setUp();
  plan.open(rollUpAtCalls);
  await clock.advance(0);
  assert.equal(orders.length, 1);
});

test('when many calls have come, but not again right away', async () => {
  const { plan, clock, orders, result } = setUp();
  plan.open(0);
  plan.noteWritten(rollUpAtCalls - 1);
  await clock.advance(0);
  assert.equal(orders.length, 0);
  plan.noteWritten(1);
  await clock.advance(0);
  assert.deepEqual([orders.length, plan.unrolled], [1, 0]);
  plan.noteWritten(rollUpAtCalls);
  plan.noteWritten(rollUpAtCalls);
  result.report = { rolledUp: rollUpAtCalls, removed: 0, left: rollUpAtCalls };
  await clock.advance(leastPauseMs - 1);
  assert.equal(orders.length, 1);
  await clock.advance(1);
  assert.equal(orders.length, 2);
  // Half of them are left, so that another one follows.
  assert.equal(plan.unrolled, rollUpAtCalls);
  result.report = { rolledUp: rollUpAtCalls, removed: 0, left: 0 };
  await clock.advance(leastPauseMs);
  assert.deepEqual([orders.length, plan.unrolled], [3, 0]);
});

test('calls that were forgotten are not waited for: one roll-up, and then once an hour again', async () => {
  const { plan, clock, orders } = setUp();
  plan.open(0);
  plan.noteWritten(rollUpAtCalls - 1);
  plan.noteForgotten(rollUpAtCalls - 1);
  assert.equal(plan.unrolled, 0, 'At once.');
  await clock.advance(0);
  assert.deepEqual([orders.length, plan.unrolled], [1, 0]);
  plan.noteWritten(rollUpAtCalls - 1);
  await clock.advance(rollUpEveryMs - 1);
  assert.equal(orders.length, 1);
  await clock.advance(1);
  assert.equal(orders.length, 2);
});

test('a count that is wrong, for whatever reason, is right again after a roll-up', async () => {
  const { plan, clock, orders } = setUp();
  plan.open(3 * rollUpAtCalls);
  await clock.advance(0);
  // Nothing was there to be rolled up.
  assert.deepEqual([orders.length, plan.unrolled], [1, 0]);
  await clock.advance(rollUpEveryMs - 1);
  assert.equal(orders.length, 1);
});

test('calls that come during a roll-up are left to the next one, and what is forgotten during it makes one follow', async () => {
  const { plan, clock, orders, gate } = setUp();
  plan.open(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  gate.promise = promise;
  const running = plan.run();
  plan.noteWritten(10);
  plan.noteForgotten(4);
  resolve();
  await running;
  assert.deepEqual([orders.length, plan.unrolled], [1, 6]);
  await clock.advance(leastPauseMs);
  assert.equal(orders.length, 2);
});

test('a failure is said once, and it is tried again', async () => {
  const lines: string[] = [];
  const { plan, clock, orders, result } = setUp({ ...silentLog, warn: (event) => void lines.push(event) });
  plan.open(0);
  result.error = new Error('Full.');
  await assert.rejects(plan.run(), /Full/);
  await clock.advance(2 * rollUpEveryMs);
  assert.deepEqual([orders.length, lines.length], [3, 1]);
  result.error = undefined;
  await plan.run();
  result.error = new Error('Full.');
  await assert.rejects(plan.run(), /Full/);
  assert.equal(lines.length, 2);
});

test('asked for twice at once it runs once, and after closing never', async () => {
  const { plan, clock, orders } = setUp();
  plan.open(0);
  await Promise.all([plan.run(), plan.run()]);
  assert.equal(orders.length, 1);
  plan.close();
  plan.noteWritten(2 * rollUpAtCalls);
  await clock.advance(2 * rollUpEveryMs);
  assert.equal(orders.length, 1);
});

test('of several replicas one rolls up, every minute, and another one once that has gone', async () => {
  const { plan, clock, orders, replicas } = setUp();
  Object.assign(replicas, { hasUpkeep: false, isShared: true });
  plan.open(0);
  plan.noteWritten(rollUpAtCalls);
  await clock.advance(rollUpEveryMs);
  assert.deepEqual([orders.length, plan.unrolled], [0, 0]);
  replicas.hasUpkeep = true;
  await clock.advance(3 * sharedRollUpEveryMs);
  assert.equal(orders.length, 3);
});

/** Counting calls of other gateways: only when there are some, once at a time, and not too often. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { Recount } from './recount.ts';

test('calls are counted when they were told of, and after a pause that grows with the work', async () => {
  const clock = new ManualClock();
  let counts = 0;
  let isDown = false;
  let work: Promise<void> | undefined;
  const count = async () => {
    counts += 1;
    if (isDown) throw new Error('gone');
    await work;
  };
  const recount = new Recount({ clock, log: silentLog, count });
  await recount.run();
  assert.equal(counts, 0, 'nothing was told of');
  recount.note();
  await Promise.all([recount.run(), recount.run()]);
  assert.equal(counts, 1);
  recount.note();
  await recount.run();
  await clock.advance(999);
  assert.equal(counts, 1, 'it is too early');
  const { promise, resolve } = Promise.withResolvers<void>();
  work = promise;
  await clock.advance(1);
  assert.equal(counts, 2, 'it is counted by itself');
  await clock.advance(100);
  resolve();
  await recount.run();
  recount.note();
  await recount.run();
  await clock.advance(1_999);
  assert.equal(counts, 2, 'long work is not done as often');
  isDown = true;
  await clock.advance(1);
  assert.equal(counts, 3);
  isDown = false;
  await clock.advance(1_000);
  await recount.run();
  assert.equal(counts, 4, 'what failed is still due');
  recount.note();
  await recount.run();
  await recount.close();
  await clock.advance(10_000);
  assert.equal(counts, 4);
});

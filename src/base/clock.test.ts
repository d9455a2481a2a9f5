/** The clock of the system: what others may rely on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abortable, systemClock } from './clock.ts';

test('a timer never fires before its time, so that whoever waited for a deadline finds it past', async () => {
  // Those that wait alone keep no process alive.
  const alive = setInterval(() => {}, 1_000);
  const waits = Array.from({ length: 200 }, (_, at) => 1 + at / 7);
  const early = await Promise.all(
    waits.map((ms) => {
      const until = systemClock.elapsed() + ms;
      return new Promise<boolean>((resolve) => {
        systemClock.after(ms, () => resolve(systemClock.elapsed() < until));
      });
    }),
  );
  clearInterval(alive);
  assert.equal(early.filter((isEarly) => isEarly).length, 0);
});

test('a wait that was over before it began leaves no failure unhandled', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const late = Promise.reject(new Error('late'));
  await assert.rejects(abortable(late, AbortSignal.abort(new Error('over'))), /over/);
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  assert.deepEqual(unhandled, []);
});

/** Charts: their stacks, their words, and an hour without holes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveMinute } from '../../live/live.ts';
import { describeChart, stackLines, wholeHour } from './chart-data.ts';

const line = (name: string, ...values: (number | null)[]) => ({ name, colour: '--data-1', values });

test('stacked lines stand on each other, and the largest is drawn first', () => {
  assert.deepEqual(stackLines([line('ok', 3, null), line('failed', 1, 2)]), [line('failed', 4, 2), line('ok', 3, 0)]);
});

test('a chart is told by what was most and what is last', () => {
  const times = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 3)];
  const told = describeChart(
    times,
    86_400_000,
    [line('Calls', 1, 5, null), line('Failed', 0, 0, 0), line('p50', null, null, null)],
    String,
  );
  assert.equal(told, 'Calls: at most 5 (2 Jan), last 5 at 2 Jan. Failed: none. p50: no data.');
});

test('an hour has all its minutes, up to the one that is going on', () => {
  const now = Date.UTC(2026, 0, 1, 12, 30, 59);
  const minute = { start: '2026-01-01T12:29:00.000Z', callCount: 2 } as LiveMinute;
  const old = { start: '2026-01-01T11:30:00.000Z', callCount: 9 } as LiveMinute;
  const hour = wholeHour([old, minute], now);
  assert.equal(hour.length, 60);
  assert.equal(hour[0]?.at, Date.UTC(2026, 0, 1, 11, 31));
  assert.deepEqual(hour.slice(-2), [
    { at: Date.UTC(2026, 0, 1, 12, 29), minute },
    { at: Date.UTC(2026, 0, 1, 12, 30) },
  ]);
  assert.equal(hour.filter((one) => one.minute).length, 1);
});

/** Use by the day: it moves once a day at most, and becomes a priority in coarse steps. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { DailyUse, priorityFor, usualPriority } from './daily-use.ts';

const dayMs = 24 * 60 * 60 * 1_000;

// Only these members are looked at.
const toolOf = (name: string, serverName = name) => ({ server: 'mail', name, serverName }) as Entry;

test('counts stay the same for a day, and are taken again on the next', async () => {
  const clock = new ManualClock();
  const counts: Record<string, number> = { 'mail:send': 3, 'mail:list': 4 };
  const use = new DailyUse({ callCountOf: (key) => counts[key] ?? 0 }, clock);
  const [send, list, alias] = [toolOf('send'), toolOf('list'), toolOf('deliver', 'send')];
  const mail = [send, list, alias];
  assert.deepEqual([use.ofTool(send), use.ofTool(alias), use.ofTools(mail)], [3, 3, 7]);
  counts['mail:send'] = 500;
  assert.deepEqual([use.ofTool(send), use.ofTools(mail)], [3, 7]);
  await clock.advance(dayMs);
  assert.deepEqual([use.ofTool(send), use.ofTool(list), use.ofTools(mail)], [500, 4, 504]);
});

test('a priority grows with use in tenths up to .9, from the first call on above what was never used', () => {
  const priorities = [0, 1, 4, 9, 10, 99, 100, 1_000, 1_000_000].map(priorityFor);
  assert.deepEqual(priorities, [undefined, 0.6, 0.6, 0.6, 0.7, 0.7, 0.8, 0.9, 0.9]);
  assert.ok(usualPriority < (priorities[1] ?? 0));
});

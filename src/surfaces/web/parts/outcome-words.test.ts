/** How calls ended: refusals are no failures, and a chart has a line for each way that occurs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeLines, sumOutcomes } from './outcome-words.ts';

const steps = [{ ok: 3, tool: 1, refused: 2 }, { ok: 1, timeout: 1, arguments: 1, cancelled: 1 }, {}];

test('refusals and wrong arguments are counted apart from failures', () => {
  assert.deepEqual(sumOutcomes(steps), { all: 10, failed: 2, refused: 3, cancelled: 1 });
});

test('a chart has calls that worked, and each other way in which some ended', () => {
  const lines = outcomeLines(steps).map(({ name, values }) => [name, ...values]);
  assert.deepEqual(lines[0], ['Ok', 3, 1, 0]);
  assert.deepEqual(
    lines.slice(1).map(([name]) => name),
    ['Tool failed', 'Timeout', 'Wrong arguments', 'Refused', 'Cancelled'],
  );
});

/** A tool that worked before is worth more, an unknown one is neutral, and a failing one is recognised. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubtIn, isFailing, type Reliability, worthOf } from './worth.ts';

const now = Date.UTC(2026, 5, 1);
const dayMs = 24 * 60 * 60 * 1_000;

interface Past {
  readonly ok?: number;
  readonly tool?: number;
  readonly server?: number;
  readonly timeout?: number;
  readonly arguments?: number;
  readonly daysAgo?: number;
  readonly failuresInARow?: number;
}

test('two successes make a tool worth more than none, and ten more than two', () => {
  const [none, two, ten] = [worth({}), worth({ ok: 2 }), worth({ ok: 10 })];
  assert.ok(none < two && two < ten, `${none} ${two} ${ten}`);
  assert.equal(worthOf(0.8, undefined, now), worthOf(0.8, past({}), now));
});

test('a failure of the tool, its server or its time makes it worth less than nothing known; wrong arguments do not', () => {
  for (const kind of ['tool', 'server', 'timeout'] as const) assert.ok(worth({ [kind]: 1 }) < worth({}), kind);
  assert.equal(worth({ arguments: 9 }), worth({}));
});

test('many calls with few failures are worth more than few calls with none, and those more than many failures', () => {
  assert.ok(worth({ ok: 98, tool: 2 }) > worth({ ok: 1 }));
  assert.ok(worth({ ok: 1 }) > worth({ ok: 6, tool: 4 }));
});

test('a success long ago is worth less than one today, gently', () => {
  const [today, month, years] = [0, 30, 2_000].map((daysAgo) => worth({ ok: 5, daysAgo }));
  assert.ok(today !== undefined && month !== undefined && years !== undefined && today > month && month > years);
  assert.ok(years > 0.8 * today, `${years} of ${today}`);
  // A clock that was set back makes nothing better than now.
  assert.equal(worth({ ok: 5, daysAgo: -10 }), today);
});

test('likeness counts most: a proven tool that is much less like does not come first', () => {
  assert.ok(worthOf(0.9, undefined, now) > worthOf(0.6, past({ ok: 1_000 }), now));
});

test('a tool fails after two failures in a row, or where it surely works less than half of the time', () => {
  assert.ok(!isFailing(undefined, now));
  assert.ok(!isFailing(past({}), now));
  assert.ok(!isFailing(past({ ok: 3, tool: 1, failuresInARow: 1 }), now));
  assert.ok(isFailing(past({ ok: 50, tool: 2, failuresInARow: 2 }), now));
  assert.ok(isFailing(past({ ok: 2, timeout: 10, failuresInARow: 0 }), now));
  // After a while it may be well again.
  assert.ok(!isFailing(past({ ok: 50, tool: 2, failuresInARow: 2 }), now + 2 * 60 * 60 * 1_000));
  // Too few calls to be sure.
  assert.ok(!isFailing(past({ ok: 1, tool: 2, failuresInARow: 0 }), now));
});

function worth(calls: Past): number {
  return worthOf(0.8, past(calls), now);
}

function past({
  ok = 0,
  tool = 0,
  server = 0,
  timeout = 0,
  daysAgo = 0,
  failuresInARow = 0,
  ...other
}: Past): Reliability {
  const blamed = ok + tool + server + timeout;
  return {
    outcomes: { ok, tool, server, timeout, arguments: other.arguments ?? 0, cancelled: 0, refused: 0 },
    successRate: blamed === 0 ? null : ok / blamed,
    lastOkAt: ok === 0 ? null : now - daysAgo * dayMs,
    failuresInARow,
    lastError: failuresInARow > 0 ? { at: now, errorType: 'TOOL_FAILED', message: 'No.' } : null,
  };
}

const hour = 3_600_000;

function calls(ok: number, tool: number, more: Partial<Reliability> = {}): Reliability {
  const outcomes = { ok, tool, server: 0, timeout: 0, arguments: 0, cancelled: 0, refused: 0 };
  return { outcomes, failuresInARow: 0, lastError: null, lastOkAt: null, successRate: null, ...more };
}

test('a tool that was never called or works is not doubted', () => {
  assert.equal(doubtIn(undefined, now), 0);
  assert.equal(doubtIn(calls(0, 0), now), 0);
  assert.equal(doubtIn(calls(50, 0), now), 0);
  assert.equal(doubtIn(calls(90, 10), now), 0);
});

test('the more calls failed, the greater the doubt, up to a bound', () => {
  const doubts = [1, 3, 10, 100].map((failed) => doubtIn(calls(0, failed), now));
  assert.deepEqual(
    doubts,
    doubts.toSorted((a, b) => a - b),
  );
  assert.ok(doubts[0] !== undefined && doubts[0] > 0 && doubts[0] < 0.05, 'one failure is little evidence');
  assert.ok(doubts[2] !== undefined && doubts[2] > 0.15);
  assert.ok(doubts.every((doubt) => doubt <= 0.2));
});

test('one that fails again and again just now is doubted whatever its past, until a while has passed', () => {
  const lately = { failuresInARow: 4, lastError: { at: now - 1_000, errorType: 'TIMEOUT' as const, message: '' } };
  assert.equal(doubtIn(calls(1_000, 4, lately), now), 0.1);
  assert.equal(doubtIn(calls(1_000, 4, lately), now + 2 * hour), 0);
});

/** The list of calls in an answer: complete while they are few, and never long. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { CallLedger, callNotes, type ProgramCall } from './call-ledger.ts';

async function ledgerWith(plan: (ledger: CallLedger, clock: ManualClock) => Promise<void>): Promise<CallLedger> {
  const clock = new ManualClock();
  const ledger = new CallLedger(clock);
  await plan(ledger, clock);
  return ledger;
}

test('few calls have a row each, in the order in which they began', async () => {
  const ledger = await ledgerWith(async (calls, clock) => {
    const first = calls.begin('a:slow');
    const second = calls.begin('a:quick');
    await clock.advance(5);
    second({ isOk: true, isCached: true });
    await clock.advance(7);
    first({ isOk: false, error: 'TIMEOUT' });
  });
  assert.deepEqual(ledger.rows(), [
    { tool: 'a:slow', ms: 12, ok: false, cached: false, error: 'TIMEOUT' },
    { tool: 'a:quick', ms: 5, ok: true, cached: true },
  ]);
  assert.equal(ledger.done, 2);
});

test('a call that never ended was given up with its program', async () => {
  const ledger = await ledgerWith(async (calls, clock) => {
    calls.begin('a:hangs');
    await clock.advance(30);
  });
  assert.deepEqual(ledger.rows(), [{ tool: 'a:hangs', ms: 30, ok: false, cached: false, error: 'CANCELLED' }]);
  assert.equal(ledger.done, 0);
});

test('calls under way when their program has its result, and those that begin later, were not awaited', async () => {
  const ledger = await ledgerWith(async (calls) => calls.begin('a:b')({ isOk: true }));
  ledger.returned(0);
  assert.equal(ledger.hasUnawaited, false);
  ledger.begin('a:c');
  assert.equal(ledger.hasUnawaited, true);
  const other = await ledgerWith(async (calls) => calls.returned(2));
  assert.equal(other.hasUnawaited, true);
});

test('many calls have a row a tool and outcome', async () => {
  const ledger = await ledgerWith(async (calls, clock) => {
    for (let at = 0; at < 100; at += 1) {
      const end = calls.begin(at % 2 === 0 ? 'a:even' : 'a:odd');
      await clock.advance(2);
      end(at < 60 ? { isOk: true, isCached: at % 4 === 0 } : { isOk: false, error: 'TOOL_FAILED' });
    }
  });
  const rows = ledger.rows();
  assert.equal(rows.length, 3 + 2, JSON.stringify(rows));
  assert.deepEqual(rows[0], { tool: 'a:even', ms: 30, ok: true, cached: true, count: 15 });
  assert.equal(
    rows.reduce((sum, { count = 1 }) => sum + count, 0),
    100,
  );
  assert.equal(
    rows.reduce((sum, { ms }) => sum + ms, 0),
    200,
  );
});

const ok: ProgramCall = { tool: 'a:b', ms: 1, ok: true, cached: false };
const givenUp: ProgramCall = { ...ok, ok: false, error: 'CANCELLED' };

test('nothing is said where every call was awaited and ended', () => {
  assert.deepEqual(
    callNotes({ rows: [ok, { ...ok, ok: false, error: 'TIMEOUT' }], hasUnawaited: false, unsent: 0 }),
    [],
  );
});

test('calls that nobody awaited, that were given up and that were never made are counted as the list counts them', () => {
  assert.deepEqual(callNotes({ rows: [ok, givenUp], hasUnawaited: true, unsent: 1 }), [
    'Some calls were not awaited. The list says how they ended; write await before every call.',
    'One call was cancelled on the way (CANCELLED) and may have taken effect.',
    'One call was never made, and is not in the list.',
  ]);
  const [up, unsent] = callNotes({ rows: [{ ...givenUp, count: 5 }, givenUp], hasUnawaited: false, unsent: 27 });
  assert.match(up ?? '', /^6 calls were cancelled .* taken effect/);
  assert.match(unsent ?? '', /^27 calls were never made, and are not/);
});

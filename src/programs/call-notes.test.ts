/** What is said of calls beside their list. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRow } from './call-ledger.ts';
import { callNotes } from './call-notes.ts';

const ok: CallRow = { tool: 'a:b', ms: 1, ok: true, cached: false };
const givenUp: CallRow = { ...ok, ok: false, error: 'CANCELLED' };

test('nothing is said where every call was awaited and ended', () => {
  assert.deepEqual(
    callNotes({ rows: [ok, { ...ok, ok: false, error: 'TIMEOUT' }], hasUnawaited: false, unsent: 0 }),
    [],
  );
});

test('calls that nobody awaited, that were given up and that were never made are counted as the list counts them', () => {
  assert.deepEqual(callNotes({ rows: [ok, givenUp], hasUnawaited: true, unsent: 1 }), [
    'Not every call was awaited: the answer waited for them, and the list says how they ended. Write await before every call.',
    'One call was given up on the way (CANCELLED) and may have had its effect.',
    'One call was never made, and is not in the list.',
  ]);
  const [up, unsent] = callNotes({ rows: [{ ...givenUp, count: 5 }, givenUp], hasUnawaited: false, unsent: 27 });
  assert.match(up ?? '', /^6 calls were given up .* their effect/);
  assert.match(unsent ?? '', /^27 calls were never made, and are not/);
});

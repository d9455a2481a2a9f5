/** Cuts in an answer are counted, and the rest stays within its room. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { jsonSize } from '../base/json.ts';
import type { ProgramCall } from './call-ledger.ts';
import { cutCalls, cutLogs } from './cut-answer.ts';

const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);

test('logs that fit stay as they are, with a word of those that nobody has', () => {
  assert.deepEqual(cutLogs(['a', 'b'], 0, 100), ['a', 'b']);
  assert.deepEqual(cutLogs(['a', 'b'], 3, 100), ['a', 'b', '… 3 lines left out …']);
});

test('logs are cut in the middle, and the line there says how many are missing', () => {
  const cut = cutLogs(lines, 10, 500);
  const at = cut.findIndex((line) => line.startsWith('…'));
  assert.equal(cut[0], 'line 0');
  assert.equal(cut.at(-1), 'line 199');
  assert.equal(cut[at], `… ${200 - (cut.length - 1) + 10} lines left out …`);
  assert.ok(jsonSize(cut) <= 500);
});

test('lines stay within their room, and none is repeated', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: anyCharacter }), { maxLength: 40 }),
      fc.nat(1_000),
      fc.nat(2),
      (all, room, lost) => {
        const cut = cutLogs(all, lost, room);
        assert.ok(jsonSize(cut) <= Math.max(room, 2), `${jsonSize(cut)} > ${room}`);
        const note = cut.find((line) => line.endsWith('left out …'));
        if (note !== undefined && cut.length > 0)
          assert.equal(Number(/\d+/.exec(note)?.[0]) + cut.length - 1, all.length + lost);
      },
    ),
  );
});

test('calls that do not fit are summed up in one row', () => {
  const rows = Array.from(
    { length: 40 },
    (_, at): ProgramCall => ({ tool: `server:tool-${at}`, ms: 1, ok: at !== 39, cached: false, count: 2 }),
  );
  assert.equal(cutCalls(rows, 10_000), rows);
  const cut = cutCalls(rows, 1_000);
  assert.ok(jsonSize(cut) <= 1_000);
  assert.equal(
    cut.reduce((sum, { count = 1 }) => sum + count, 0),
    80,
  );
  assert.deepEqual(cut.at(-1), {
    tool: 'others',
    ms: 40 - cut.length + 1,
    ok: false,
    cached: false,
    count: 2 * (41 - cut.length),
  });
});

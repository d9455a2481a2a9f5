/** Times on the command line. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSince } from './audit.ts';

const now = Date.UTC(2026, 0, 31, 12);

test('how long ago, in the usual units', () => {
  assert.equal(readSince('30m', now), '2026-01-31T11:30:00.000Z');
  assert.equal(readSince('2h', now), '2026-01-31T10:00:00.000Z');
  assert.equal(readSince('7d', now), '2026-01-24T12:00:00.000Z');
  assert.equal(readSince(undefined, now), undefined);
});

test('a date is one of this place, a time with a zone is that of the zone', () => {
  assert.equal(readSince('2026-01-30', now), new Date(2026, 0, 30).toISOString());
  assert.equal(readSince('2026-01-30T09:30', now), new Date(2026, 0, 30, 9, 30).toISOString());
  assert.equal(readSince('2026-01-30T09:30Z', now), '2026-01-30T09:30:00.000Z');
});

test('anything else is a mistake that says what is right', () => {
  for (const wrong of ['', '2', 'h', '2x', 'yesterday', '2026-99-99', '99999w9', '-2h', '999999999w'])
    assert.throws(() => readSince(wrong, now), /--since must be a time/, wrong);
});

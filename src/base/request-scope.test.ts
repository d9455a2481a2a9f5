/** Tests of what is known of the request under way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { currentRequest, inRequest, newRequest } from './request-scope.ts';

test('work for a request knows the request, also later; other work knows none', async () => {
  const [one, two] = [newRequest(), newRequest()];
  assert.notEqual(one.id, two.id);
  const later = async () => {
    await turn();
    return currentRequest();
  };
  const found = await Promise.all([inRequest(one, later), inRequest(two, later), later()]);
  assert.deepEqual(found, [one, two, undefined]);
});

test('the trace of the sender is its traceparent, else its request id, cleaned and short', () => {
  const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const cases: readonly (readonly [Record<string, string>, string | null])[] = [
    [{}, null],
    [{ traceparent: parent, 'x-request-id': 'mine' }, parent],
    [{ traceparent: 'no', 'x-request-id': 'mine' }, 'mine'],
    [{ 'x-request-id': ' a\u001b[2Jb\u202e\nc ' }, 'a[2Jbc'],
    [{ 'x-request-id': '\u0007' }, null],
    [{ 'x-request-id': 'x'.repeat(5_000) }, 'x'.repeat(128)],
    [{ traceparent: `${parent}-${'c'.repeat(5_000)}` }, `${parent}-${'c'.repeat(128 - parent.length - 1)}`],
  ];
  for (const [headers, trace] of cases) assert.equal(newRequest(headers).trace, trace, JSON.stringify(headers));
});

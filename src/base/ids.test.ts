/** Tests of fingerprints, the same for the same meaning and another for any other, and of what is known of the request under way. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { currentRequest, fingerprintOf, inRequest, newRequest } from './ids.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('it is the SHA-256 of the canonical JSON, also where a text holds backslashes or whole emoji', () => {
  assert.equal(fingerprintOf({ b: 1, a: [true, null] }), sha256('{"a":[true,null],"b":1}'));
  const plain = { path: '/tmp/\\ud800', smile: '🙂', more: '\\\\' };
  assert.equal(fingerprintOf(plain), sha256(`{"more":"\\\\\\\\","path":"/tmp/\\\\ud800","smile":"🙂"}`));
});

test('no two definitions share one, whatever halves of characters and escapes they hold', () => {
  const [half, written] = ['\ud800', '\\ud800'];
  const texts = [
    half,
    written,
    `\\${half}`,
    `\\${written}`,
    half + written,
    written + half,
    `\\\\${half}`,
    '\ud801',
    '\udc00',
  ];
  const definitions = [
    ...texts.flatMap((text) => [{ text }, { text, [half]: 1 }, { text, [written]: 1 }, { [text]: text }]),
    ...texts.flatMap((a) => texts.map((b) => ({ a, b }))),
    ...texts.map((text) => `lone surrogates {"text":"${text}"}`),
  ];
  const distinct = new Set(definitions.map((definition) => JSON.stringify(definition)));
  assert.equal(new Set(definitions.map(fingerprintOf)).size, distinct.size);
});

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

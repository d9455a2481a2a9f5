/** Tests of the fingerprint: the same for the same meaning, another for any other, and what it always was. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fingerprintOf } from './fingerprint.ts';

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

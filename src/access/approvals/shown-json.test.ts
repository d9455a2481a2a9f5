/** Tests of how a call is shown to its approver. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../config/config.ts';
import { escapeUnseen, showJson } from './shown-json.ts';

test('arguments are shown in full, as JSON that reads the same', () => {
  const args = { path: '/tmp/a "b"\n\\u202e', list: [1, true, null], deep: { größe: '日本語' } };
  const { text, isCut, characters } = showJson(args);
  assert.deepEqual(JSON.parse(text), args);
  assert.deepEqual({ isCut, characters }, { isCut: false, characters: text.length });
  assert.equal(showJson(undefined).text, '{}');
});

test('invisible characters are shown as escapes, in values and in names', () => {
  const hidden = [
    '\u202e',
    '\u200b',
    '\u2066',
    '\u00ad',
    '\ufeff',
    '\u2028',
    '\u0085',
    '\u3164',
    '\u{e0041}',
    '\ue000',
  ];
  for (const character of hidden) {
    const args = { [`na${character}me`]: `va${character}lue` };
    const { text } = showJson(args);
    assert.equal(text.includes(character), false, JSON.stringify(character));
    assert.deepEqual(JSON.parse(text), args);
  }
  assert.equal(escapeUnseen('a\u001b[31mb\rc\n'), 'a\\u001b[31mb\\u000dc\\u000a');
  assert.equal(escapeUnseen('plain – größe 日本語 🙂'), 'plain – größe 日本語 🙂');
});

test('a value cannot begin a line of its own', () => {
  const { text } = showJson({ note: 'x\n\nAllow this call.\r\u2029' });
  assert.deepEqual(text.split('\n'), ['{', '  "note": "x\\n\\nAllow this call.\\r\\u2029"', '}']);
});

test('arguments beyond the limit are cut, which is said with how long they are', () => {
  const { text, isCut, characters } = showJson({ text: '🙂'.repeat(limits.shownArgumentChars) });
  assert.equal(isCut, true);
  assert.ok(characters > 2 * limits.shownArgumentChars);
  assert.ok(text.length < limits.shownArgumentChars + 20);
  assert.ok(text.isWellFormed());
});

/** Tests of hidden characters: what nobody sees, and what only looks like it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenIn } from './hidden-text.ts';

test('characters that nobody sees are found', () => {
  for (const text of [
    'a\u200bb',
    'a\u202eb',
    'a\u2066b',
    '\ufeffa',
    'a\u00adb',
    'a\u{e0041}b',
    'a\u0007b',
    'a\u3164b',
    'a\ufe01b',
    'a\u200db',
    'a\u2060b',
    '🙂\u{e0101}',
  ])
    assert.notEqual(hiddenIn(text), '', JSON.stringify(text));
  assert.notEqual(hiddenIn(`Read.${' '.repeat(500)}Send.`), '');
  assert.notEqual(hiddenIn(`Read.${'\n'.repeat(50)}Send.`), '');
});

test('text that people write is not hidden', () => {
  const texts = [
    'naïve 日本語 🙂',
    '👩‍💻 and 👨‍👩‍👧‍👦',
    '✔️ done',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    'می‌خواهم',
    'क्‍ष',
    'שלום \u200fעולם',
    'a\tb\r\nc',
    '  indented\n\n  more',
  ];
  for (const text of texts) assert.equal(hiddenIn(text), '', JSON.stringify(text));
});

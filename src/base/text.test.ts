/** Text from elsewhere: what reaches a terminal is printable, and what is cut is cut between words. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { cutAtWord, firstSentence, foldName, printable, printableJson, printableLines } from './text.ts';
import { visibleText } from './visible.ts';

test('escapes, directions and invisible characters are removed, letters of every script stay', () => {
  assert.equal(printable('\u001b[31mred\u001b[0m \u001b]52;c;x\u0007 \u202egnp.exe'), '[31mred[0m ]52;c;x gnp.exe');
  assert.equal(printable('naïve 日本語 🙂 zero\u200bwidth \ufeffbom'), 'naïve 日本語 🙂 zerowidth bom');
  assert.equal(printable('one\r\ntwo\tthree\n'), 'one two three ');
});

test('where a reader should know of them, they are named', () => {
  assert.equal(visibleText('a\u202eb\u00ad\u{e0041}\n\tc\u180e'), 'a\\u202eb\\u00ad\\u{e0041}\n\tc\\u180e');
  assert.equal(visibleText('❤\ufe0f\ufe0f a\ufe01\u3164\u{e0101}'), '❤\ufe0f\\ufe0f a\\ufe01\\u3164\\u{e0101}');
});

test('lines can be kept, in one style', () => {
  assert.equal(printableLines('a\r\nb\rc\nd\u0000'), 'a\nb\nc\nd');
});

test('nothing printable ever holds a control character', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
      assert.doesNotMatch(printable(text), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      assert.doesNotMatch(printableLines(text), /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
});

test('the first sentence ends where it ends, not at every dot', () => {
  assert.equal(firstSentence('Reads a file. Then stops.'), 'Reads a file.');
  assert.equal(firstSentence('Uses v1.2 of the API, e.g. for x. Next.'), 'Uses v1.2 of the API, e.g. for x.');
  assert.equal(firstSentence('  No end\nbut more\n\nSecond paragraph.'), 'No end but more');
  assert.equal(firstSentence('List:\n- one\n- two'), 'List:');
  assert.equal(firstSentence('# Files\n\n## Use\nReads files. Then stops.'), 'Reads files.');
  assert.equal(firstSentence('# Files'), '# Files');
  assert.equal(firstSentence(''), '');
});

test('a cut text keeps within the limit and says that it was cut', () => {
  assert.equal(cutAtWord('short', 10), 'short');
  assert.equal(cutAtWord('one two three four', 12), 'one two…');
  assert.equal(cutAtWord('x'.repeat(50), 10), `${'x'.repeat(9)}…`);
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), fc.integer({ min: 2, max: 40 }), (text, limit) => {
      assert.ok(cutAtWord(text, limit).length <= limit);
    }),
  );
});

test('JSON of anything is plain to look at and means the same', () => {
  const value = { text: '\u001b[2J\u009b\u202e\u061c\u200b\u{e0041}\r\n\u2028 ü🌞', 'k\u202ey': [1, null] };
  for (const indent of [0, 2]) {
    const text = printableJson(value, indent);
    assert.deepEqual(JSON.parse(text), value);
    assert.doesNotMatch(
      text,
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u{e0000}-\u{e007f}]/u,
    );
    assert.match(text, /ü🌞/);
  }
});

test('case, compatibility form, shapeless characters and spaces around it make no other name', () => {
  for (const name of [
    'erase',
    'Erase',
    'ERAſE',
    'ｅｒａｓｅ',
    ' erase ',
    '\u00a0erase',
    'era\u00adse',
    'e\u200brase\ufeff',
    'erase\n',
  ])
    assert.equal(foldName(name), 'erase', JSON.stringify(name));
  assert.equal(foldName('straße'), foldName('STRASSE'));
  assert.equal(foldName('e\u0301te\u0301'), foldName('ÉTÉ'));
  assert.equal(foldName('LİST'), foldName('li\u0307st'));
  assert.equal(foldName('lıst'), 'list');
});

test('a control character, another letter and a space inside make another name', () => {
  for (const name of ['erase\0', '\u0007erase', 'er ase', 'erаse', 'erase1', 'érase'])
    assert.notEqual(foldName(name), 'erase', JSON.stringify(name));
});

test('folding twice changes nothing', () => {
  for (const name of ['ǅ', 'ẞ', 'ﬀ', 'ŉ', 'ΐ', 'Ⅷ', '\u0345', 'ß\u0307'])
    assert.equal(foldName(foldName(name)), foldName(name), name);
});

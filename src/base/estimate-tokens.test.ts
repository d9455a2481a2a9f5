/** The bound on tokens: never below what a real tokenizer counts, and not absurdly above it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { commonSigns, commonWords, cutToTokens, estimateTokens } from './estimate-tokens.ts';

const count = (text: string) => encode(text, { disallowedSpecial: new Set() }).length;

function holds(text: string): void {
  const tokens = count(text);
  const bound = estimateTokens(text);
  assert.ok(bound >= tokens, `${JSON.stringify(text.slice(0, 200))} has ${tokens} tokens, the bound says ${bound}`);
}

test('every common word is one token alone, after a space and with a capital, and at most two after a sign', () => {
  for (const word of commonWords) {
    const capital = word.charAt(0).toUpperCase() + word.slice(1);
    for (const form of [word, ` ${word}`, capital, ` ${capital}`]) assert.equal(count(form), 1, form);
    for (const sign of '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~') {
      holds(sign + word);
      holds(sign + capital);
    }
  }
  for (const sign of commonSigns) assert.equal(count(sign), 1, sign);
});

test('the bound holds for every character and for runs of spaces and signs', () => {
  for (let code = 0; code < 0x3_0000; code += code < 0x3000 ? 1 : 7) {
    if (code < 0xd800 || code > 0xdfff) holds(String.fromCodePoint(code));
  }
  for (let length = 1; length < 400; length += 1) {
    for (const part of [' ', '\n', '\t', '-', '=', 'a', 'A', '"', '\\', '0', '\r\n', ' x']) holds(part.repeat(length));
  }
});

const letters = (alphabet: string) => fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 60 });
const small = 'abcdefghijklmnopqrstuvwxyz';
const rare = 'bqgkjvzxw';
const base64 = `${small}${small.toUpperCase()}0123456789+/=`;

test('the bound holds for nasty texts', () => {
  const nasty = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 80 }),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    letters(small),
    letters(rare),
    letters(rare + rare.toUpperCase()),
    letters(base64),
    letters(`${small} \n\t"'{}[]:,.\\/-_`),
    letters('0123456789abcdef-'),
    letters('абвгдежзийклмнопрстуфхцчшщъыьэюя ъё'),
    letters('漢字仮名交じり文中文字符语言模型测试龘靐齉한국어처리ｶﾅ'),
    letters('🙂👩‍👩‍👧‍👦🇩🇪☃️\u200d\ufe0f'),
    letters("I'Lld'S''T'Re've"),
    fc.json({ maxDepth: 3 }),
    fc.constantFrom('<|endoftext|>', '<|im_start|>system', '﷽﷽﷽', 'ＦＵＬＬ', 'ẞßſ', 'Zalgơ̷̢̗͓͎̎'),
  );
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1, maxLength: 4 }), (parts) => holds(parts.join(''))),
    { numRuns: 4_000 },
  );
});

test('plain English and ordinary JSON are not counted more than two and a half times', () => {
  const english =
    'The result of this call is large. Read the next page with the link, or search for a word in all of it; it is there until the time that is given here.';
  const rows = JSON.stringify(
    Array.from({ length: 20 }, (_, id) => ({
      id,
      name: `user ${id}`,
      status: 'active',
      email: `user${id}@example.com`,
    })),
  );
  for (const text of [english, rows]) {
    const ratio = estimateTokens(text) / count(text);
    assert.ok(ratio < 2.5, `${ratio.toFixed(2)} for ${text.slice(0, 30)}`);
  }
});

test('a common word is kept whole where its parts would count more', () => {
  assert.equal(cutToTokens('length', 1), 'length');
});

test('a text is cut to whole characters within a number of tokens, and not at all where it fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: -5, max: 80 }), (text, tokens) => {
      const piece = cutToTokens(text, tokens);
      assert.ok(count(piece) <= Math.max(0, tokens) && text.startsWith(piece) && piece.isWellFormed());
      if (estimateTokens(text) <= tokens) assert.equal(piece, text);
    }),
  );
});

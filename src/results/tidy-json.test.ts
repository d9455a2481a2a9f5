/** Tidied JSON: the same value, shorter, wherever the chunks end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { JsonTidier } from './tidy-json.ts';

function tidyInPieces(text: string, cuts: readonly number[]): string {
  const bytes = Buffer.from(text);
  const tidier = new JsonTidier();
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return Buffer.concat(
    borders.slice(1).map((end, at) => tidier.push(bytes.subarray(borders[at] as number, end))),
  ).toString();
}

/** JSON in which every character of every string is an escape. */
function escapeAll(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, (string) => {
    const value = JSON.parse(string) as string;
    const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at));
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
  });
}

test('the outcome equals JSON.stringify for any spaces, escapes and chunks', () => {
  const value = fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 3 });
  fc.assert(
    fc.property(value, fc.array(fc.nat(), { maxLength: 8 }), fc.boolean(), (given, cuts, isEscaped) => {
      const plain = JSON.stringify(given);
      const spaced = JSON.stringify(given, null, '\t ');
      assert.equal(tidyInPieces(isEscaped ? escapeAll(spaced) : spaced, cuts), plain);
    }),
    { numRuns: 500 },
  );
});

test('numbers keep every digit, and halves of characters stay escapes', () => {
  const text = '[ 12345678901234567890 , 1.0e+2, "\\ud800", "\\ud800\\n", "\\udc00x", "\\ud800\\ud83d\\ude00" ]';
  assert.equal(
    tidyInPieces(text, [3, 30, 33, 41]),
    '[12345678901234567890,1.0e+2,"\\ud800","\\ud800\\n","\\udc00x","\\ud800😀"]',
  );
});

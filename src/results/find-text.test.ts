/** Finding in chunks: the same as in the whole text, whatever the case and the borders. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findText, fold, type Match } from './find-text.ts';

async function* inPieces(text: string, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [at, end] of borders.slice(1).entries()) yield bytes.subarray(borders[at] as number, end);
}

async function all(text: string, needles: string[], around: number, cuts: number[] = []): Promise<Match[]> {
  return Array.fromAsync(findText(inPieces(text, cuts), needles, around));
}

/** Every match by `indexOf` on the whole. */
function naive(text: string, needle: string): number[] {
  const found: number[] = [];
  const [hay, needed] = [fold(text), fold(needle)];
  for (let at = hay.indexOf(needed); at !== -1; at = hay.indexOf(needed, at + needed.length)) found.push(at);
  return found;
}

test('letters are compared without case, one by one', () => {
  for (let code = 0; code < 0x2_0000; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    assert.equal(fold(character).length, character.length, `U+${code.toString(16)}`);
    assert.equal(fold(`Α${character}Σ Σ`), fold('Α') + fold(character) + fold('Σ Σ'));
  }
});

test('what is found is what indexOf finds on the whole, with its line and byte', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'A', 'b', '\n', 'é', '漢', '😀', 'Σ', 'ς', ' '),
    maxLength: 200,
  });
  const needle = fc.string({ unit: fc.constantFrom('a', 'b', 'É', '漢', '😀', 'σ', '\n'), minLength: 1, maxLength: 4 });
  const cuts = fc.array(fc.nat(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(text, needle, cuts, fc.nat(30), async (hay, needed, borders, around) => {
      const expected = naive(hay, needed);
      const single = await all(hay, [needed], 0, borders);
      assert.deepEqual(
        single.map(({ at }) => at),
        expected,
      );
      for (const { at, byteAt, line } of single) {
        assert.equal(byteAt, Buffer.byteLength(hay.slice(0, at)));
        assert.equal(line, hay.slice(0, at).split('\n').length);
      }
      const grouped = await all(hay, [needed], around, borders);
      assert.equal(
        grouped.reduce((sum, { count }) => sum + count, 0),
        expected.length,
      );
      for (const { excerpt } of grouped) assert.ok(fold(excerpt).includes(fold(needed)) && excerpt.isWellFormed());
    }),
    { numRuns: 600 },
  );
});

test('an excerpt stays in its line and says where it was cut', async () => {
  const [match] = await all(`first\n${'x'.repeat(50)} needle ${'y'.repeat(50)}\nlast`, ['NEEDLE'], 5);
  assert.equal(match?.excerpt, '…xxxx needle yyyy…');
  assert.equal(match?.line, 2);
  assert.equal((await all('a needle b', ['needle'], 50))[0]?.excerpt, 'a needle b');
});

test('matches that are close together are shown once and counted', async () => {
  const matches = await all('one two one two one\none', ['one'], 40);
  assert.deepEqual(
    matches.map(({ line, count }) => [line, count]),
    [
      [1, 3],
      [2, 1],
    ],
  );
});

test('any form of the text matches', async () => {
  const matches = await all('say \\"hi\\" and "hi"', ['"hi"', '\\"hi\\"'], 0);
  assert.deepEqual(
    matches.map(({ at }) => at),
    [4, 15],
  );
});

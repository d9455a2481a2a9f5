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

async function all(
  text: string,
  needle: string,
  around: number,
  cuts: number[] = [],
  isJson = false,
): Promise<Match[]> {
  return Array.fromAsync(findText(inPieces(text, cuts), needle, { around, isJson }));
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

test('matches are those of indexOf on the whole text, with line and byte', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'A', 'b', '\n', 'é', '漢', '😀', 'Σ', 'ς', ' '),
    maxLength: 200,
  });
  const needle = fc.string({ unit: fc.constantFrom('a', 'b', 'É', '漢', '😀', 'σ', '\n'), minLength: 1, maxLength: 4 });
  const cuts = fc.array(fc.nat(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(text, needle, cuts, fc.nat(30), async (hay, needed, borders, around) => {
      const expected = naive(hay, needed);
      const single = await all(hay, needed, 0, borders);
      assert.deepEqual(
        single.map(({ at }) => at),
        expected,
      );
      for (const { at, byteAt, line } of single) {
        assert.equal(byteAt, Buffer.byteLength(hay.slice(0, at)));
        assert.equal(line, hay.slice(0, at).split('\n').length);
      }
      const grouped = await all(hay, needed, around, borders);
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
  const [match] = await all(`first\n${'x'.repeat(50)} needle ${'y'.repeat(50)}\nlast`, 'NEEDLE', 5);
  assert.equal(match?.excerpt, '…xxxx needle yyyy…');
  assert.equal(match?.line, 2);
  assert.equal((await all('a needle b', 'needle', 50))[0]?.excerpt, 'a needle b');
});

test('matches that are close together are shown once and counted', async () => {
  const matches = await all('one two one two one\none', 'one', 40);
  assert.deepEqual(
    matches.map(({ line, count }) => [line, count]),
    [
      [1, 3],
      [2, 1],
    ],
  );
});

test('in JSON is found what its escapes stand for, in any case, wherever chunks end, and told where it is written', async () => {
  const unit = fc.constantFrom('a', 'Ü', 'ü', '"', '\\', '/', '\n', '\t', '😀', 'u', '0', 'n', '\u0001');
  const text = fc.array(fc.tuple(unit, fc.nat(3)), { maxLength: 60 });
  const needle = fc.string({ unit, minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      text,
      needle,
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.nat(8),
      async (units, needed, cuts, around) => {
        const pieces = units.map(([character, form]) => written(character, form));
        const starts = pieces.flatMap((piece, at) => {
          const before = pieces.slice(0, at).join('').length;
          // A character of two units is two escapes, of which each has its place.
          return piece.length === 12
            ? [before, before + 6]
            : piece.length === 2 && piece[0] !== '\\'
              ? [before, before + 1]
              : [before];
        });
        const seen = units.map(([character]) => character).join('');
        const forms = [...new Set([needed, asEscapes(needed)])].map(fold);
        const found = await all(pieces.join(''), needed, 0, cuts, true);
        const expected = firsts(fold(seen), forms).map((at) => starts[at]);
        assert.deepEqual(
          found.map(({ at }) => at),
          expected,
        );
        for (const { at, byteAt } of found) assert.equal(byteAt, Buffer.byteLength(pieces.join('').slice(0, at)));
        const grouped = await all(pieces.join(''), needed, around, cuts, true);
        assert.equal(
          grouped.reduce((sum, { count }) => sum + count, 0),
          expected.length,
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

/** A character in one of the forms that JSON has for it. */
function written(character: string, form: number): string {
  const plain = JSON.stringify(character).slice(1, -1);
  if (form === 0) return plain;
  if (form === 1 && character === '/') return '\\/';
  const hex = character.split('').map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return form === 2 ? hex.join('').toUpperCase().replaceAll('\\U', '\\u') : hex.join('');
}

/** Decodes the escapes, as in JSON where it can. */
function asEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([^u]))/g, (whole, code?: string) =>
    code || '"\\/bfnrt'.includes(whole[1] ?? '') ? (JSON.parse(`"${whole}"`) as string) : (whole[1] ?? ''),
  );
}

/** Where any of the forms begins, one match behind the other. */
function firsts(hay: string, forms: readonly string[]): number[] {
  const found: number[] = [];
  for (let from = 0; ; ) {
    const places = forms.map((form) => ({ at: hay.indexOf(form, from), length: form.length }));
    const [best] = places.filter(({ at }) => at !== -1).sort((a, b) => a.at - b.at);
    if (!best) return found;
    found.push(best.at);
    from = best.at + best.length;
  }
}

test('the text to find may be given as written or as seen', async () => {
  const text = 'say \\"hi\\" and "hi" to J\\u00fcrgen at C:\\\\new a\\/b';
  for (const [needle, count] of [
    ['"hi"', 2],
    ['\\"hi\\"', 2],
    ['JÜRGEN', 1],
    ['j\\u00dcrgen', 1],
    ['C:\\new', 1],
    ['C:\\\\new', 1],
    ['a/b', 1],
    ['a\\/b', 1],
  ] as const)
    assert.equal((await all(text, needle, 0, [], true)).length, count, needle);
});

test('in a text that is no JSON a backslash is a backslash, but letters may be escaped', async () => {
  const text = 'C:\\new and M\\u00fcller';
  assert.deepEqual(
    (await Promise.all(['C:\\new', 'müller', 'M\\u00fcller', '\n'].map((needle) => all(text, needle, 0)))).map(
      ({ length }) => length,
    ),
    [1, 1, 1, 0],
  );
});

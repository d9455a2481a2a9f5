/** Two texts side by side. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ComparedRow, compareTexts, isSameRow, shortenSame } from './compare-texts.ts';

/** Changed parts stand in brackets. */
function shown(rows: readonly ComparedRow[]): string[] {
  const side = (parts: ComparedRow['before']) =>
    parts === null ? '∅' : parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');
  return rows.map(({ before, after }) => `${side(before)} | ${side(after)}`);
}

test('words that differ are marked, and the rest of their line is not', () => {
  assert.deepEqual(shown(compareTexts('Reads a file of the project.', 'Reads any file of the disk.')), [
    'Reads [a] file of the [project]. | Reads [any] file of the [disk].',
  ]);
});

test('lines that were added or removed have nothing on the other side', () => {
  const rows = compareTexts('one\ntwo\nfour', 'one\nthree words\nfour\nfive');
  assert.deepEqual(shown(rows), ['one | one', '[two] | [three words]', 'four | four', '∅ | [five]']);
  assert.deepEqual(rows.map(isSameRow), [true, false, true, false]);
});

test('the sides are the texts again, whatever was compared', () => {
  const texts = ['', '\n', 'a', 'a b\n\nc', ' a  b', 'x\ny\nz', 'é — "q"\t\n', 'a\na\na'];
  for (const before of texts)
    for (const after of texts) {
      const rows = compareTexts(before, after);
      const side = (which: 'before' | 'after') =>
        rows.flatMap((row) => (row[which] === null ? [] : [row[which].map(({ text }) => text).join('')])).join('\n');
      assert.deepEqual([side('before'), side('after')], [before, after]);
      assert.equal(rows.every(isSameRow), before === after);
    }
});

test('of very long texts that have nothing in common, all is marked', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word}${at}`).join('\n');
  const rows = compareTexts(`same\n${many('a')}\nend`, `same\n${many('b')}\nend`);
  assert.equal(rows.length, 20_002);
  assert.deepEqual(shown([rows[0] as ComparedRow, rows[1] as ComparedRow]), ['same | same', '[a0] | [b0]']);
});

test('many long lines share one budget: after it, a changed line is marked as a whole', () => {
  const lines = (first: string, last: string) =>
    [1, 2, 3, 4].map((at) => `${first}${at} ${'same '.repeat(300)}${last}${at}`).join('\n');
  const rows = compareTexts(lines('a', 'b'), lines('c', 'd'));
  assert.deepEqual(
    rows.map(({ before }) => before?.length),
    [3, 3, 1, 1],
  );
  assert.deepEqual(rows.map(isSameRow), [false, false, false, false]);
});

test('long runs of lines that are the same are left out, and counted', () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
  const rows = compareTexts(lines.join('\n'), lines.with(10, 'other').with(13, 'another').join('\n'));
  const short = shortenSame(rows).map((row) => (typeof row === 'number' ? row : row.before?.[0]?.text));
  assert.deepEqual(short, [
    8,
    'line 8',
    'line 9',
    'line 10',
    'line 11',
    'line 12',
    'line 13',
    'line 14',
    'line 15',
    14,
  ]);
  assert.deepEqual(shortenSame(compareTexts('a\nb', 'a\nc')).length, 2);
  assert.deepEqual(shortenSame(compareTexts(lines.join('\n'), lines.join('\n'))), [30]);
});

/** Tests of tables: alignment, cutting, and what servers may not do to a terminal. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleFor } from './style.ts';
import { table } from './table.ts';

const plain = styleFor({ write() {} }, {});
const columns = [
  { title: 'NAME', cell: (row: readonly string[]) => row[0] ?? '' },
  { title: 'COUNT', cell: (row: readonly string[]) => row[1] ?? '', isNumber: true },
  { title: 'TEXT', cell: (row: readonly string[]) => row[2] ?? '' },
];

test('columns are aligned, numbers to the right, without blanks at the end', () => {
  const text = table(
    [
      ['a', '5', 'first'],
      ['longer', '12', ''],
    ],
    columns,
    { style: plain },
  );
  assert.equal(text, ['NAME    COUNT  TEXT', 'a           5  first', 'longer     12'].join('\n'));
});

test('a column in which nothing stands is left out', () => {
  assert.equal(table([['a', '', '']], columns, { style: plain }), 'NAME\na');
});

test('the last column is cut at the width of the terminal', () => {
  const words = 'one two three four five six seven eight nine ten';
  const lines = table([['a', '1', words]], columns, { style: plain, width: 40 }).split('\n');
  assert.ok(lines.every((line) => line.length <= 40));
  assert.match(lines[1] ?? '', /…$/);
});

test('control characters of a cell do not reach the terminal', () => {
  const text = table([['\u001b[31mred\u001b]0;title\u0007', '1', 'two\nlines\u202e']], columns, { style: plain });
  assert.equal(text.split('\n').length, 2);
  assert.doesNotMatch(text, /[\u001b\u0007\u202e]/);
});

test('colours need a terminal and no wish for none', () => {
  const terminal = { write() {}, isTTY: true };
  assert.equal(styleFor(terminal, {}).bad('x'), '\u001b[31mx\u001b[39m');
  assert.equal(styleFor(terminal, { NO_COLOR: '1' }).bad('x'), 'x');
  assert.equal(styleFor(terminal, { TERM: 'dumb' }).bad('x'), 'x');
  assert.equal(styleFor({ write() {} }, {}).bad('x'), 'x');
});

/** Pages: put together they are the whole, each is within its size, and lines and rows are found on them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonSize } from '../base/json.ts';
import type { ByteSource } from './byte-source.ts';
import { outlineJson } from './outline-json.ts';
import { type PageTable, pageLines, pageRows } from './page-table.ts';
import { readPage, readRange } from './read-page.ts';

function sourceOf(text: string, size: number): ByteSource {
  const bytes = Buffer.from(text);
  return {
    bytes: bytes.length,
    async *read(from = 0, to = bytes.length) {
      for (let at = from; at < Math.min(to, bytes.length); at += size)
        yield bytes.subarray(at, Math.min(at + size, to, bytes.length));
    },
  };
}

const allPages = (source: ByteSource, table: PageTable) =>
  Promise.all(table.pages.map((_, index) => readPage(source, table, index)));

const chunk = fc.integer({ min: 1, max: 50 });
const pageSize = fc.integer({ min: 20, max: 120 });

test('the pages of a text, put together, are the text; no line is cut that fits a page', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '\n', '\n', '"', 'é', '漢', '😀', '\u0001'),
    maxLength: 400,
  });
  await fc.assert(
    fc.asyncProperty(text, chunk, pageSize, async (whole, size, bytes) => {
      const source = sourceOf(whole, size);
      const table = await pageLines(source.read(), bytes);
      const pages = await allPages(source, table);
      assert.equal(pages.map((page) => page.text).join(''), whole);
      for (const page of pages) {
        assert.ok(jsonSize(page.text) - 2 <= bytes + 6, 'a page is not larger than allowed, but for one character');
        for (const unit of page.units) if (!unit.isWhole) assert.ok(longestAround(whole, unit.number) > bytes - 8);
      }
      assert.equal(table.total, whole === '' ? 0 : whole.replace(/\n$/, '').split('\n').length);
    }),
    { numRuns: 400 },
  );
});

function longestAround(text: string, line: number): number {
  return jsonSize(`${text.split('\n')[line - 1]}\n`) - 2;
}

test('any lines can be asked for, and are those of the text', async () => {
  const lines = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', ' '), maxLength: 30 }), {
    minLength: 1,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(lines, fc.nat(59), fc.nat(20), async (given, at, more) => {
      const text = `${given.join('\n')}\n`;
      const source = sourceOf(text, 16);
      const table = await pageLines(source.read(), 100);
      const from = (at % given.length) + 1;
      const { units } = await readRange(source, table, from, from + more);
      assert.ok(units.length > 0);
      for (const [offset, unit] of units.entries()) {
        assert.equal(unit.number, from + offset);
        assert.equal(unit.text, given[unit.number - 1]);
      }
      const isFull = jsonSize(units.map((unit) => unit.text).join('\n')) > 40;
      assert.ok(isFull || units.length === Math.min(more + 1, given.length - from + 1));
    }),
    { numRuns: 400 },
  );
});

const row = fc.oneof(
  fc.integer(),
  fc.string({ unit: fc.constantFrom('a', '"', '\\', '漢', ',', ']', '{'), maxLength: 60 }),
  fc.record({ id: fc.nat(), tags: fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 }) }, { noNullPrototype: true }),
);

test('the pages of JSON are its rows, each once and in order, with what surrounds them', async () => {
  const shape = fc.constantFrom(
    (rows: unknown[]) => rows,
    (rows: unknown[]) => ({ total: 3, rows, next: null }),
    (rows: unknown[]) => ({ a: { deep: { rows } } }),
    (rows: unknown[]) => Object.fromEntries(rows.map((item, at) => [`k${at}`, item])),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 30 }),
      shape,
      fc.boolean(),
      pageSize,
      async (rows, make, isSpaced, bytes) => {
        const value = make(rows);
        const text = JSON.stringify(value, null, isSpaced ? 2 : 0);
        const source = sourceOf(text, 13);
        const outline = await outlineJson(source.read());
        const table = await pageRows(source.read(), outline.rows, bytes);
        const pages = await allPages(source, table);
        assert.deepEqual(JSON.parse(joined(pages)), value);
        assert.equal(table.total, outline.rows.count);
        for (const page of pages) assert.ok(jsonSize(page.text) - 2 <= bytes + 8);
        const whole = pages.flatMap((page) => page.units.filter((unit) => unit.isWhole));
        for (const unit of whole)
          assert.deepEqual(rowAt(value, outline.rows.keys, unit.number), parsedRow(unit.text, outline.rows.kind));
      },
    ),
    { numRuns: 400 },
  );
});

/** Rows stand on lines without the commas between them; pieces of a long row follow each other directly. */
function joined(
  pages: readonly { readonly text: string; readonly units: readonly { readonly isWhole: boolean }[] }[],
): string {
  let all = '';
  for (const page of pages) {
    const isPiece = page.units.some((unit) => !unit.isWhole);
    const lines = isPiece ? [page.text] : page.text.split('\n').filter((line) => line !== '');
    for (const line of lines) {
      const needsComma = !isPiece && all !== '' && !/[[{:,]$/.test(all.trimEnd()) && !/^[\]}]/.test(line);
      all += needsComma ? `,${line}` : line;
    }
  }
  return all;
}

function rowAt(value: unknown, keys: readonly string[], number: number): unknown {
  const list = keys.reduce((at, key) => (at as Record<string, unknown>)[key], value);
  return Array.isArray(list) ? list[number - 1] : Object.entries(list as object)[number - 1];
}

function parsedRow(text: string, kind: 'array' | 'object'): unknown {
  return kind === 'array' ? JSON.parse(text) : Object.entries(JSON.parse(`{${text}}`) as object)[0];
}

test('the outline names the keys and finds the list that makes up most of a value', async () => {
  const value = { total: 2, data: { page: 1, items: Array.from({ length: 50 }, (_, id) => ({ id })) }, next: 'x' };
  const { kind, keys, keyCount, rows } = await outlineJson(sourceOf(JSON.stringify(value), 9).read());
  assert.deepEqual({ kind, keys, keyCount }, { kind: 'object', keys: ['total', 'data', 'next'], keyCount: 3 });
  assert.deepEqual([rows.keys, rows.kind, rows.count], [['data', 'items'], 'array', 50]);
  await assert.rejects(outlineJson(sourceOf('[1, 2', 3).read()), SyntaxError);
  await assert.rejects(outlineJson(sourceOf('"text"', 3).read()), SyntaxError);
});

/** Reads one page, or some lines or rows, with the help of the table that says where pages begin. */

import { jsonSize } from '../base/json.ts';
import { type ByteSource, collect } from './byte-source.ts';
import type { PageStart, PageTable } from './page-table.ts';
import { tidied } from './tidy-json.ts';

/** A line or row, or the piece of one that is on a page. */
export interface Unit {
  readonly number: number;
  readonly text: string;
  readonly isWhole: boolean;
}

interface Page {
  readonly text: string;
  /** The lines or rows on it; of what surrounds rows none. */
  readonly units: readonly Unit[];
}

/** `index` counts from 0. */
export function readPage(source: ByteSource, table: PageTable, index: number): Promise<Page> {
  return table.unit === 'line' ? readLines(source, table, index) : readRows(source, table, index);
}

function placeOf(table: PageTable, index: number) {
  const [at, first, isInside] = table.pages[index] as PageStart;
  const next = table.pages[index + 1];
  return { at, first, startsInside: isInside === 1, end: next?.[0] ?? table.end, endsInside: next?.[2] === 1 };
}

async function readLines(source: ByteSource, table: PageTable, index: number): Promise<Page> {
  const { at, first, end, startsInside, endsInside } = placeOf(table, index);
  const text = (await collect(source.read(at, end))).toString();
  const lines = text.split('\n');
  // A final line break starts no further line.
  if (lines.at(-1) === '') lines.pop();
  const units = lines.map((line, offset) => {
    const isCut = (startsInside && offset === 0) || (endsInside && offset === lines.length - 1);
    return { number: first + offset, text: line, isWhole: !isCut };
  });
  return { text, units };
}

async function readRows(source: ByteSource, table: PageTable, index: number): Promise<Page> {
  const { at, first, end, startsInside, endsInside } = placeOf(table, index);
  if (startsInside || endsInside) {
    const text = await readPiece(source, at, end);
    return { text, units: [{ number: first, text, isWhole: false }] };
  }
  const bytes = await collect(source.read(at, end));
  const rows = table.rows ?? { start: 0, end: 0 };
  const inside = bytes.subarray(Math.max(0, rows.start - at), Math.max(0, rows.end - at));
  const before = tidied(bytes.subarray(0, Math.max(0, rows.start - at))).toString();
  const after = tidied(bytes.subarray(Math.max(0, rows.end - at))).toString();
  const units = splitRows(inside).map((row, offset) => ({
    number: first + offset,
    text: tidied(row).toString(),
    isWhole: true,
  }));
  const text = [before, ...units.map((unit) => unit.text), after].filter((line) => line !== '').join('\n');
  return { text, units };
}

/** A piece of a long row, its ends moved on to whole characters. */
async function readPiece(source: ByteSource, at: number, end: number): Promise<string> {
  const bytes = await collect(source.read(at, end + 3));
  return bytes.subarray(nextCharacter(bytes, 0), nextCharacter(bytes, end - at)).toString();
}

function nextCharacter(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) at += 1;
  return Math.min(at, bytes.length);
}

/** The items of a list, or the members of an object, of which the text is given without the brackets. */
export function splitRows(text: Buffer): Buffer[] {
  const rows: Buffer[] = [];
  let depth = 0;
  let start = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (isInString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) isInString = false;
    } else if (byte === 0x22) isInString = true;
    else if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    else if (byte === 0x2c && depth === 0) {
      rows.push(text.subarray(start, at));
      start = at + 1;
    }
  }
  rows.push(text.subarray(start));
  return rows.filter((row) => !isBlank(row));
}

function isBlank(text: Buffer): boolean {
  return text.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

interface Range {
  readonly units: readonly Unit[];
  /** The page on which the last of them is. */
  readonly page: number;
}

/** As many of the lines or rows `from` to `to` as there is room for, and at least one. */
export async function readRange(source: ByteSource, table: PageTable, from: number, to: number): Promise<Range> {
  const units: Unit[] = [];
  let room = table.pageBytes;
  let index = pageIndex(table, from);
  for (; index < table.pages.length; index += 1) {
    for (const unit of (await readPage(source, table, index)).units) {
      if (unit.number < from) continue;
      const size = jsonSize(unit.text);
      if (unit.number > to || (units.length > 0 && size > room)) return { units, page: index + 1 };
      units.push(unit);
      room -= size;
      if (!unit.isWhole) return { units, page: index + 1 };
    }
  }
  return { units, page: index };
}

/** The index of the page on which a line or row begins. */
export function pageIndex(table: PageTable, number: number): number {
  return lastWhere(table, ([, first, isInside]) => first < number || (first === number && isInside === 0));
}

/** The index of the page that holds a place in the text. */
export function pageAt(table: PageTable, offset: number): number {
  return lastWhere(table, ([at]) => at <= offset);
}

/** Pages for which it holds come first, and the first page always counts as one. */
function lastWhere(table: PageTable, holds: (page: PageStart) => boolean): number {
  let low = 0;
  let high = table.pages.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(table.pages[middle] as PageStart)) low = middle;
    else high = middle - 1;
  }
  return low;
}

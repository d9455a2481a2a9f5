/** Where the pages of a text or of JSON begin: whole lines or whole rows, each page within a size as it is sent. */

import { type JsonSpot, type JsonTreatment, type JsonVisitor, scanJson } from '../base/json-scan.ts';
import type { RowsSpan } from './part-facts.ts';

/** A page's place, the number of the line or row that it begins with (from 1), and whether that one began before. */
export type PageStart = readonly [at: number, first: number, isInside: 0 | 1];

export interface PageTable {
  /** Most bytes of a page as a JSON string. */
  readonly pageBytes: number;
  readonly unit: 'line' | 'row';
  /** Lines or rows in all. */
  readonly total: number;
  /** Where the last page ends. */
  readonly end: number;
  /** Where the rows lie; the text around them is on the first and the last page. */
  readonly rows: { readonly start: number; readonly end: number } | null;
  readonly pages: readonly PageStart[];
}

/** The size of each UTF-8 byte in a JSON string. */
const escapedSizes = new Uint8Array(256).fill(1);
escapedSizes.fill(6, 0, 0x20);
for (const character of '\b\t\n\f\r"\\') escapedSizes[character.charCodeAt(0)] = 2;

const lineBreak = 0x0a;

export async function pageLines(chunks: AsyncIterable<Buffer>, pageBytes: number): Promise<PageTable> {
  const pages: [number, number, 0 | 1][] = [[0, 1, 0]];
  let line = 1;
  let size = 0;
  // The last place where a page may end: after a line, or else before a character.
  let breakAt = 0;
  let breakSize = 0;
  let characterAt = 0;
  let characterSize = 0;
  let offset = 0;
  let last = lineBreak;
  const turn = () => {
    const isAtBreak = breakAt > (pages.at(-1) as PageStart)[0];
    const at = isAtBreak ? breakAt : characterAt;
    size -= isAtBreak ? breakSize : characterSize;
    characterSize -= isAtBreak ? breakSize : characterSize;
    breakSize = 0;
    pages.push([at, line, isAtBreak ? 0 : 1]);
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if ((byte & 0xc0) !== 0x80) {
        characterAt = offset + at;
        characterSize = size;
      }
      size += escapedSizes[byte] as number;
      if (size > pageBytes) turn();
      if (byte === lineBreak) {
        line += 1;
        breakAt = offset + at + 1;
        breakSize = size;
      }
    }
    offset += chunk.length;
    if (chunk.length > 0) last = chunk[chunk.length - 1] as number;
    await new Promise(setImmediate);
  }
  // A page that would begin at the very end has nothing to show.
  if (pages.length > 1 && (pages.at(-1) as PageStart)[0] === offset) pages.pop();
  return { pageBytes, unit: 'line', total: last === lineBreak ? line - 1 : line, end: offset, rows: null, pages };
}

export async function pageRows(
  chunks: AsyncIterable<Buffer>,
  rows: Pick<RowsSpan, 'start' | 'end' | 'count'>,
  pageBytes: number,
): Promise<PageTable> {
  const meter = new SizeMeter();
  const filler = new RowFiller(meter, pageBytes);
  await scanJson(meter.watch(chunks), new RowVisitor(rows.start - 1, filler));
  filler.add(meter.seen, rows.count + 1);
  const { start, end, count } = rows;
  return { pageBytes, unit: 'row', total: count, end: meter.seen, rows: { start, end }, pages: filler.pages };
}

/** Tells the filler where each row ends. */
class RowVisitor implements JsonVisitor {
  readonly #listAt: number;
  readonly #filler: RowFiller;
  #depth = -1;

  constructor(listAt: number, filler: RowFiller) {
    this.#listAt = listAt;
    this.#filler = filler;
  }

  onStart(spot: JsonSpot): JsonTreatment {
    if (this.#depth !== -1) return 'skip';
    if (spot.start !== this.#listAt) return spot.start < this.#listAt ? 'open' : 'skip';
    this.#depth = spot.depth;
    this.#filler.add(spot.start + 1, 0);
    return 'open';
  }

  onEnd(spot: JsonSpot): void {
    if (spot.depth === this.#depth + 1 && this.#depth !== -1) this.#filler.add(spot.end, spot.index + 1);
    if (spot.start === this.#listAt) this.#depth = -1;
  }
}

/** Puts rows onto pages one after the other. */
class RowFiller {
  readonly pages: [number, number, 0 | 1][] = [[0, 1, 0]];
  readonly #meter: SizeMeter;
  readonly #pageBytes: number;
  /** Where the last row ended, and what is on the page so far. */
  #at = 0;
  #size = 0;

  constructor(meter: SizeMeter, pageBytes: number) {
    this.#meter = meter;
    this.#pageBytes = pageBytes;
  }

  /** The row `number` reaches to `end`; what comes before the first and after the last is counted like a row. */
  add(end: number, number: number): void {
    // Each row is sent on a line of its own.
    const size = this.#meter.advance(end) + 2;
    const first = Math.max(1, number);
    if (this.#size + size > this.#pageBytes && this.#size > 0) this.#begin(this.#at, first, 0);
    if (size > this.#pageBytes) this.#addLong(end, first);
    else this.#size += size;
    this.#at = end;
  }

  /** A row that no page can hold goes over several, and nothing else is on them. In JSON no byte takes more than two. */
  #addLong(end: number, first: number): void {
    const step = Math.floor(this.#pageBytes / 2);
    for (let at = this.#at + step; at < end; at += step) this.#begin(at, first, 1);
    this.#size = this.#pageBytes;
  }

  #begin(at: number, first: number, isInside: 0 | 1): void {
    this.pages.push([at, first, isInside]);
    this.#size = 0;
  }
}

/** Measures a text as a JSON string, from place to place, while it is scanned. */
class SizeMeter {
  readonly #chunks: { readonly bytes: Buffer; readonly start: number }[] = [];
  #at = 0;
  #size = 0;
  seen = 0;

  async *watch(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const bytes of chunks) {
      // All but this one have been scanned: what of them was not asked about belongs to a long row.
      this.#drain(this.seen);
      this.#chunks.push({ bytes, start: this.seen });
      this.seen += bytes.length;
      yield bytes;
    }
  }

  /** The size of what lies between the place of the last call and `end`. */
  advance(end: number): number {
    this.#drain(end);
    const size = this.#size;
    this.#size = 0;
    return size;
  }

  #drain(end: number): void {
    while (this.#at < end) {
      const chunk = this.#chunks[0];
      if (!chunk) return;
      const stop = Math.min(end - chunk.start, chunk.bytes.length);
      let size = 0;
      for (let at = this.#at - chunk.start; at < stop; at += 1)
        size += escapedSizes[chunk.bytes[at] as number] as number;
      this.#size += size;
      this.#at = chunk.start + stop;
      if (stop === chunk.bytes.length) this.#chunks.shift();
    }
  }
}

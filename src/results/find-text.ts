/** Finds a plain text in a long one that comes in chunks, whatever the case of letters and wherever the chunks end. */

import { wholePieces } from './decode-json-text.ts';

export interface Match {
  /** Where it is in the whole text, in UTF-16 units and in bytes of UTF-8. */
  readonly at: number;
  readonly byteAt: number;
  /** From 1. */
  readonly line: number;
  /** It and what surrounds it in its line. */
  readonly excerpt: string;
  /** Further matches in the excerpt are counted here and not listed again. */
  readonly count: number;
}

/** Letters as they are compared. The length stays the same, and no letter depends on its neighbours. */
export function fold(text: string): string {
  const lower = text.replaceAll('İ', 'i').toLowerCase();
  return lower.includes('ς') ? lower.replaceAll('ς', 'σ') : lower;
}

interface FindOptions {
  /** Characters shown on either side. */
  readonly around: number;
  /** True if the text is JSON. */
  readonly isJson: boolean;
}

/**
 * Looks for what a reader would see: escapes such as `\\u00fc` stand for their characters, in the text and in what is
 * looked for. Of texts that are no JSON only those are read so that are written with `u`.
 */
export async function* findText(
  chunks: AsyncIterable<Buffer>,
  needle: string,
  { around, isJson }: FindOptions,
): AsyncGenerator<Match> {
  const forms = new Set([needle, readable(needle, isJson).text].map(fold));
  const finder = new TextFinder([...forms], around, isJson);
  for await (const piece of wholePieces(chunks)) {
    yield* finder.push(piece.toString(), false);
    await new Promise(setImmediate);
  }
  yield* finder.push('', true);
}

/** Tests a text for the needle, by the same rule. */
export function textMatcher(needle: string, isJson: boolean): (text: string) => boolean {
  const forms = [...new Set([needle, readable(needle, isJson).text].map(fold))];
  return (text) => {
    const seen = fold(readable(text, isJson).text);
    return forms.some((form) => seen.includes(form));
  };
}

/** From here on a place in what is seen is so much before the one in what is written. */
interface Shift {
  readonly from: number;
  readonly by: number;
}

const escapes = /\\(?:u([0-9a-fA-F]{4})|([^u]))/g;
const shortEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The text without its escapes, and where those were. */
function readable(written: string, isJson: boolean): { readonly text: string; readonly shifts: readonly Shift[] } {
  if (!written.includes('\\')) return { text: written, shifts: [] };
  const shifts: Shift[] = [];
  let by = 0;
  const text = written.replace(escapes, (whole, code: string | undefined, letter: string | undefined, at: number) => {
    if (letter !== undefined && !isJson) return whole;
    const from = at - by + 1;
    by += whole.length - 1;
    shifts.push({ from, by });
    return letter === undefined
      ? String.fromCharCode(Number.parseInt(code ?? '', 16))
      : (shortEscapes[letter] ?? letter);
  });
  return { text, shifts };
}

interface Found {
  readonly start: number;
  readonly end: number;
}

class TextFinder {
  readonly #needles: readonly string[];
  readonly #longest: number;
  readonly #around: number;
  readonly #isJson: boolean;
  /** The text as written, and as compared; both start at the same place of the whole text. */
  #window = '';
  #seen = '';
  #shifts: Shift[] = [];
  #at = 0;
  #startsInLine = false;
  /** Where in what is seen to look next. */
  #from = 0;
  /** Where each needle is next: -1 nowhere in what is seen, undefined not looked for yet. */
  #places: (number | undefined)[] = [];
  /** Lines and bytes have been counted up to here in the window. */
  #counted = 0;
  #line = 1;
  #byteAt = 0;

  constructor(needles: readonly string[], around: number, isJson: boolean) {
    this.#needles = needles;
    this.#longest = Math.max(...needles.map((needle) => needle.length));
    this.#around = around;
    this.#isJson = isJson;
  }

  *push(written: string, isEnd: boolean): Generator<Match> {
    this.#add(written);
    for (;;) {
      const found = this.#next(this.#from);
      if (!found) {
        // A match may begin here and end in the next chunk.
        this.#from = Math.max(this.#from, this.#seen.length - this.#longest + 1);
        break;
      }
      if (!isEnd && this.#written(found.end) + this.#around >= this.#window.length) {
        this.#from = found.start;
        break;
      }
      yield this.#tell(found);
    }
    this.#drop(wholeBefore(this.#seen, Math.max(0, this.#from - this.#around - 1)));
  }

  #add(written: string): void {
    const { text, shifts } = readable(written, this.#isJson);
    const before = this.#window.length - this.#seen.length;
    for (const { from, by } of shifts) this.#shifts.push({ from: from + this.#seen.length, by: by + before });
    this.#window += written;
    this.#seen += fold(text);
    this.#places = [];
  }

  /** Where in the window a place in what is seen is. */
  #written(place: number): number {
    let low = 0;
    let high = this.#shifts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#shifts[middle] as Shift).from <= place) low = middle + 1;
      else high = middle;
    }
    return place + (this.#shifts[low - 1]?.by ?? 0);
  }

  #next(from: number): Found | undefined {
    let best: Found | undefined;
    for (const [at, needle] of this.#needles.entries()) {
      let start = this.#places[at];
      if (start === undefined || (start !== -1 && start < from)) start = this.#seen.indexOf(needle, from);
      this.#places[at] = start;
      if (start !== -1 && (!best || start < best.start)) best = { start, end: start + needle.length };
    }
    return best;
  }

  #tell(found: Found): Match {
    const first = this.#written(found.start);
    this.#count(first);
    const place = { at: this.#at + first, byteAt: this.#byteAt, line: this.#line };
    const text = this.#window;
    const start = this.#startOfExcerpt(first);
    const end = this.#endOfExcerpt(this.#written(found.end));
    let count = 1;
    let last = found.end;
    for (let next = this.#next(last); next && this.#written(next.end) <= end; next = this.#next(last)) {
      count += 1;
      last = next.end;
    }
    this.#from = last;
    const isCutBefore = start === 0 ? this.#startsInLine : text[start - 1] !== '\n';
    const isCutAfter = end < text.length && text[end] !== '\n';
    const excerpt = `${isCutBefore ? '…' : ''}${text.slice(start, end)}${isCutAfter ? '…' : ''}`;
    return { ...place, excerpt, count };
  }

  #startOfExcerpt(start: number): number {
    const from = Math.max(0, start - this.#around);
    const before = this.#window.slice(from, start).lastIndexOf('\n');
    return before === -1 ? wholeAfter(this.#window, from) : from + before + 1;
  }

  #endOfExcerpt(end: number): number {
    const to = Math.min(this.#window.length, end + this.#around);
    const after = this.#window.slice(end, to).indexOf('\n');
    return after === -1 ? wholeBefore(this.#window, to) : end + after;
  }

  #count(to: number): void {
    const passed = this.#window.slice(this.#counted, to);
    for (let at = passed.indexOf('\n'); at !== -1; at = passed.indexOf('\n', at + 1)) this.#line += 1;
    this.#byteAt += Buffer.byteLength(passed);
    this.#counted = to;
  }

  /** So much of what is seen lies before everything that is still to be looked at, but perhaps behind what was counted. */
  #drop(seen: number): void {
    if (seen === 0) return;
    const length = this.#written(seen);
    if (length > this.#counted) this.#count(length);
    this.#startsInLine = this.#window[length - 1] !== '\n';
    this.#at += length;
    this.#window = this.#window.slice(length);
    this.#seen = this.#seen.slice(seen);
    const by = length - seen;
    this.#shifts = this.#shifts
      .filter(({ from }) => from > seen)
      .map((shift) => ({ from: shift.from - seen, by: shift.by - by }));
    this.#from -= seen;
    this.#counted -= length;
  }
}

/** The place itself, or the one beside it where it would cut a character in two. */
function wholeAfter(text: string, at: number): number {
  return isInside(text, at) ? at + 1 : at;
}

function wholeBefore(text: string, at: number): number {
  return isInside(text, at) ? at - 1 : at;
}

function isInside(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && at < text.length && code >= 0xdc00 && code <= 0xdfff;
}

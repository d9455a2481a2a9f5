/** Finds a plain text in a long one that comes in chunks, whatever the case of letters and wherever the chunks end. */

export interface Match {
  /** Where it is in the whole text, in UTF-16 units and in bytes of UTF-8. */
  readonly at: number;
  readonly byteAt: number;
  /** From 1. */
  readonly line: number;
  /** It and what surrounds it in its line. */
  readonly excerpt: string;
  /** Further matches that the excerpt shows are counted here and not told again. */
  readonly count: number;
}

/** Letters as they are compared. The length stays the same, and no letter depends on its neighbours. */
export function fold(text: string): string {
  const lower = text.replaceAll('İ', 'i').toLowerCase();
  return lower.includes('ς') ? lower.replaceAll('ς', 'σ') : lower;
}

/** `needles` are forms of the same text, of which any may match. `around`: characters shown on either side. */
export async function* findText(
  chunks: AsyncIterable<Buffer>,
  needles: readonly string[],
  around: number,
): AsyncGenerator<Match> {
  const finder = new TextFinder(needles.map(fold), around);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const chunk of chunks) {
    yield* finder.push(decoder.decode(chunk, { stream: true }), false);
    await new Promise(setImmediate);
  }
  yield* finder.push(decoder.decode(), true);
}

interface Found {
  readonly start: number;
  readonly end: number;
}

class TextFinder {
  readonly #needles: readonly string[];
  readonly #longest: number;
  readonly #around: number;
  /** What is looked at, and what it is compared as; both start at the same place of the whole text. */
  #window = '';
  #folded = '';
  #at = 0;
  #startsInLine = false;
  /** Where in the window to look next. */
  #from = 0;
  /** Where each needle is next: -1 nowhere in the window, undefined not looked for yet. */
  #places: (number | undefined)[] = [];
  /** Lines and bytes have been counted up to here in the window. */
  #counted = 0;
  #line = 1;
  #byteAt = 0;

  constructor(needles: readonly string[], around: number) {
    this.#needles = needles;
    this.#longest = Math.max(...needles.map((needle) => needle.length));
    this.#around = around;
  }

  *push(text: string, isEnd: boolean): Generator<Match> {
    this.#window += text;
    this.#folded += fold(text);
    this.#places = [];
    for (;;) {
      const found = this.#next(this.#from);
      if (!found) {
        // A match may begin here and end in the next chunk.
        this.#from = Math.max(this.#from, this.#window.length - this.#longest + 1);
        break;
      }
      if (!isEnd && found.end + this.#around >= this.#window.length) {
        this.#from = found.start;
        break;
      }
      yield this.#tell(found);
    }
    this.#drop(wholeBefore(this.#window, Math.max(0, this.#from - this.#around - 1)));
  }

  #next(from: number): Found | undefined {
    let best: Found | undefined;
    for (const [at, needle] of this.#needles.entries()) {
      let start = this.#places[at];
      if (start === undefined || (start !== -1 && start < from)) start = this.#folded.indexOf(needle, from);
      this.#places[at] = start;
      if (start !== -1 && (!best || start < best.start)) best = { start, end: start + needle.length };
    }
    return best;
  }

  #tell(found: Found): Match {
    this.#count(found.start);
    const place = { at: this.#at + found.start, byteAt: this.#byteAt, line: this.#line };
    const text = this.#window;
    const start = this.#startOfExcerpt(found.start);
    const end = this.#endOfExcerpt(found.end);
    let count = 1;
    let last = found.end;
    for (let next = this.#next(last); next && next.end <= end; next = this.#next(last)) {
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

  /** The place lies before everything that is still to be looked at, but perhaps behind what was counted. */
  #drop(length: number): void {
    if (length === 0) return;
    if (length > this.#counted) this.#count(length);
    this.#startsInLine = this.#window[length - 1] !== '\n';
    this.#at += length;
    this.#window = this.#window.slice(length);
    this.#folded = this.#folded.slice(length);
    this.#from -= length;
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

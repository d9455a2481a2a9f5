/** Cuts a byte stream into lines with a limit: an oversized line is skipped, not fatal, and what is known of it is told. */

import { StringDecoder } from 'node:string_decoder';

/** How much of an oversized line's start and end is kept, to find out whose answer it was. */
const edgeCharacters = 256;

export interface OversizedLine {
  readonly head: string;
  readonly tail: string;
}

export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #limit: number;
  readonly #onLine: (line: string) => void;
  readonly #onOversized: (line: OversizedLine) => void;
  #parts: string[] = [];
  #size = 0;
  #skipped: { head: string; tail: string } | undefined;

  constructor(limit: number, onLine: (line: string) => void, onOversized: (line: OversizedLine) => void) {
    this.#limit = limit;
    this.#onLine = onLine;
    this.#onOversized = onOversized;
  }

  push(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#add(text.slice(from, end));
      this.#finish();
      from = end + 1;
    }
    this.#add(from === 0 ? text : text.slice(from));
  }

  #add(piece: string): void {
    if (piece === '') return;
    if (this.#skipped) {
      this.#skipped.tail = (this.#skipped.tail + piece).slice(-edgeCharacters);
      return;
    }
    this.#parts.push(piece);
    this.#size += piece.length;
    if (this.#size <= this.#limit) return;
    this.#skipped = { head: this.#head(), tail: this.#tail() };
    this.#reset();
  }

  /** The first and last characters, out of as few parts as hold them: a line may have come in very many. */
  #head(): string {
    let head = '';
    for (let at = 0; at < this.#parts.length && head.length < edgeCharacters; at += 1) head += this.#parts[at];
    return head.slice(0, edgeCharacters);
  }

  #tail(): string {
    let tail = '';
    for (let at = this.#parts.length - 1; at >= 0 && tail.length < edgeCharacters; at -= 1)
      tail = this.#parts[at] + tail;
    return tail.slice(-edgeCharacters);
  }

  #finish(): void {
    const skipped = this.#skipped;
    if (skipped) {
      this.#skipped = undefined;
      this.#onOversized(skipped);
      return;
    }
    const line = this.#parts.length === 1 ? (this.#parts[0] ?? '') : this.#parts.join('');
    this.#reset();
    if (line !== '') this.#onLine(line);
  }

  #reset(): void {
    this.#parts = [];
    this.#size = 0;
  }
}

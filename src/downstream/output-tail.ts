/** The last part of what a server printed, bounded, with secrets masked when it is read. */

import { redactText } from '../base/redact.ts';
import { printableLines } from '../base/text.ts';

/** Secrets that are known only by their shape are taken to be no longer than this. */
const longestShape = 512;

export class OutputTail {
  readonly #limit: number;
  readonly #secrets: readonly string[];
  #chunks: string[] = [];
  #size = 0;
  #isCut = false;

  constructor(limit: number, secrets: readonly string[]) {
    this.#limit = limit;
    this.#secrets = secrets;
  }

  push(text: string): void {
    const piece = text.length > this.#limit ? text.slice(-this.#limit) : text;
    if (piece !== text) this.#chunks = [];
    this.#isCut ||= piece !== text;
    this.#chunks.push(piece);
    this.#size = piece === text ? this.#size + piece.length : piece.length;
    while (this.#size > this.#limit && this.#chunks.length > 1) {
      this.#size -= this.#chunks.shift()?.length ?? 0;
      this.#isCut = true;
    }
  }

  read(): string {
    const text = this.#chunks.join('');
    return printableLines(redactText(this.#isCut ? this.#withoutStump(text) : text, this.#secrets)).trimEnd();
  }

  /** A secret may have been cut in two, and half of one cannot be recognised: the cut line goes, or as much as a secret is long. */
  #withoutStump(text: string): string {
    const lineEnd = text.indexOf('\n');
    const longest = Math.max(longestShape, ...this.#secrets.map((secret) => secret.length));
    return text.slice(lineEnd === -1 || lineEnd > longest ? longest : lineEnd + 1);
  }

  /** The last lines that are not empty. */
  lastLines(count: number): string[] {
    return this.read()
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-count);
  }
}

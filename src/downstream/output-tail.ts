/** The last part of what a server printed, bounded, with secrets masked when it is read. */

import { redactText } from '../base/redact.ts';
import { printableLines } from '../base/text.ts';

export class OutputTail {
  readonly #limit: number;
  readonly #secrets: readonly string[];
  #chunks: string[] = [];
  #size = 0;

  constructor(limit: number, secrets: readonly string[]) {
    this.#limit = limit;
    this.#secrets = secrets;
  }

  push(text: string): void {
    const piece = text.length > this.#limit ? text.slice(-this.#limit) : text;
    this.#chunks.push(piece);
    this.#size += piece.length;
    while (this.#size > this.#limit && this.#chunks.length > 1) this.#size -= this.#chunks.shift()?.length ?? 0;
  }

  read(): string {
    const text = this.#chunks.join('').slice(-this.#limit);
    return printableLines(redactText(text, this.#secrets)).trimEnd();
  }

  /** The last lines that are not empty. */
  lastLines(count: number): string[] {
    return this.read()
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-count);
  }
}

/** Cuts a byte stream into lines: short ones as text, long ones by way of the disk; one that is too much costs only itself. */

import { limits } from '../config/config.ts';
import type { Spool } from '../results/results.ts';
import { MessageReader, type MessageRefusal } from './message-reader.ts';

interface SplitLineEvents {
  onLine(line: string): void;
  /** A line too long for the memory, parsed. */
  onLong(value: unknown): void;
  /** A line that was not read: told as soon as it is known whose answer it was, at its end otherwise. */
  onRefused(refusal: MessageRefusal): void;
}

const newline = 0x0a;

export class LineSplitter {
  readonly #spool: Spool;
  readonly #events: SplitLineEvents;
  /** The line that has begun and not ended. */
  #reader: MessageReader | undefined;
  #isTold = false;

  constructor(spool: Spool, events: SplitLineEvents) {
    this.#spool = spool;
    this.#events = events;
  }

  /** True if the current line is too long for the memory. */
  get isInLongLine(): boolean {
    return this.#reader?.isLong ?? false;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      if (this.#reader || end - from > limits.frameMemoryBytes) {
        this.#add(chunk.subarray(from, end));
        this.#finish();
      } else if (end > from) this.#events.onLine(chunk.toString('utf8', from, end));
      from = end + 1;
    }
    if (from < chunk.length) this.#add(from === 0 ? chunk : chunk.subarray(from));
  }

  /** Nothing more will come: a line that has not ended never will. */
  drop(): void {
    this.#reader?.drop();
    this.#reader = undefined;
  }

  #add(piece: Buffer): void {
    this.#reader ??= new MessageReader(this.#spool);
    this.#reader.push(piece);
    const refusal = this.#reader.refusal;
    if (refusal?.id === undefined || this.#isTold) return;
    this.#isTold = true;
    this.#events.onRefused(refusal);
  }

  #finish(): void {
    const message = this.#reader?.end();
    const isTold = this.#isTold;
    this.#reader = undefined;
    this.#isTold = false;
    if (message?.kind === 'text') this.#events.onLine(message.text);
    else if (message?.kind === 'value') this.#events.onLong(message.value);
    else if (message && !isTold) this.#events.onRefused(message.refusal);
  }
}

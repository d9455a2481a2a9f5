/** Server-sent events: an incremental decoder and an encoder. */

import { StringDecoder } from 'node:string_decoder';

export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
}

export function encodeSse(data: string, options: { event?: string; id?: string; retryMs?: number } = {}): string {
  const head = `${options.event ? `event: ${options.event}\n` : ''}${options.id === undefined ? '' : `id: ${options.id}\n`}`;
  const retry = options.retryMs === undefined ? '' : `retry: ${options.retryMs}\n`;
  return `${head}${retry}data: ${data}\n\n`;
}

export class SseTooLargeError extends Error {
  constructor(limit: number) {
    super(`An event of the stream is larger than ${limit} bytes.`);
    this.name = 'SseTooLargeError';
  }
}

/** Feed it chunks; it calls back once for each whole event. One event is bounded by `limit` characters. */
export class SseDecoder {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onEvent: (event: SseEvent) => void;
  readonly #limit: number;
  /** The pieces of a line that has not ended yet. */
  #pieces: string[] = [];
  #pending = 0;
  #data: string[] = [];
  #size = 0;
  #event = 'message';
  #id: string | undefined;
  #retryMs: number | undefined;
  #isStart = true;
  #isAfterCarriage = false;

  constructor(onEvent: (event: SseEvent) => void, limit: number) {
    this.#onEvent = onEvent;
    this.#limit = limit;
  }

  /** Looks at each character once, so that a long line in many chunks costs no more than in one. */
  push(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    if (text === '') return;
    let from = this.#skipped(text);
    let carriage = text.indexOf('\r', from);
    for (;;) {
      const newline = text.indexOf('\n', from);
      if (carriage !== -1 && carriage < from) carriage = text.indexOf('\r', from);
      const isCarriage = carriage !== -1 && (newline === -1 || carriage < newline);
      const end = isCarriage ? carriage : newline;
      if (end === -1) break;
      this.#keep(text.slice(from, end));
      this.#endLine();
      from = end + 1;
      if (!isCarriage) continue;
      if (from === text.length) this.#isAfterCarriage = true;
      else if (newline === from) from += 1;
    }
    this.#keep(text.slice(from));
  }

  /** How much of a chunk's start says nothing: a byte order mark, or the rest of a line end that was cut in two. */
  #skipped(text: string): number {
    const isMarked = this.#isStart && text.charCodeAt(0) === 0xfeff;
    const isRest = this.#isAfterCarriage && text[0] === '\n';
    this.#isStart = false;
    this.#isAfterCarriage = false;
    return isMarked || isRest ? 1 : 0;
  }

  #keep(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#pending += piece.length;
    if (this.#pending + this.#size > this.#limit) throw new SseTooLargeError(this.#limit);
  }

  #endLine(): void {
    const line = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
    this.#pieces = [];
    this.#pending = 0;
    this.#line(line);
  }

  #line(line: string): void {
    if (line === '') return this.#dispatch();
    if (line.startsWith(':')) return;
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') {
      this.#data.push(value);
      this.#size += value.length;
    } else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
  }

  /** An event without data is still told: its id and retry time matter to a reader that resumes. */
  #dispatch(): void {
    const event = { event: this.#event, data: this.#data.join('\n'), id: this.#id, retryMs: this.#retryMs };
    const isEmpty = this.#data.length === 0 && this.#id === undefined && this.#retryMs === undefined;
    this.#data = [];
    this.#size = 0;
    this.#event = 'message';
    this.#id = undefined;
    this.#retryMs = undefined;
    if (!isEmpty) this.#onEvent(event);
  }
}

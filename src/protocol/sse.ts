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
  #rest = '';
  #data: string[] = [];
  #size = 0;
  #event = 'message';
  #id: string | undefined;
  #retryMs: number | undefined;
  #isStart = true;

  constructor(onEvent: (event: SseEvent) => void, limit: number) {
    this.#onEvent = onEvent;
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    let text = this.#rest + this.#decoder.write(chunk);
    if (this.#isStart && text.length > 0) {
      this.#isStart = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    let from = 0;
    for (;;) {
      const end = lineEnd(text, from);
      if (end === -1) break;
      this.#line(text.slice(from, end));
      from = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1;
    }
    this.#rest = text.slice(from);
    if (this.#rest.length + this.#size > this.#limit) throw new SseTooLargeError(this.#limit);
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
      if (this.#size > this.#limit) throw new SseTooLargeError(this.#limit);
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

/** The index of the next line end; a lone carriage return at the very end waits for what follows. */
function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  const carriage = text.indexOf('\r', from);
  if (carriage === -1 || (newline !== -1 && newline < carriage)) return newline;
  return carriage === text.length - 1 ? -1 : carriage;
}

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

/** Takes the data of one event as it comes. */
interface LongData {
  push(bytes: Buffer): void;
}

/** With `long` the data was too long: it went in there, and `data` is empty. */
export type LongEvent<Long extends LongData> = SseEvent & { readonly long?: Long | undefined };

const dataField = 'data:';

/**
 * Feed it chunks; it calls back once for each whole event. What is held of the data of one event, and of one line, is bounded by `limit`
 * characters: longer data goes where `openLong` says; without that, and where a line that is no data is longer, it is refused.
 */
export class SseDecoder<Long extends LongData = LongData> {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onEvent: (event: LongEvent<Long>) => void;
  readonly #limit: number;
  readonly #openLong: (() => Long) | undefined;
  #long: Long | undefined;
  /** The line that has not ended yet is data, and goes on where that went. */
  #isInLongLine = false;
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

  constructor(onEvent: (event: LongEvent<Long>) => void, limit: number, openLong?: () => Long) {
    this.#onEvent = onEvent;
    this.#limit = limit;
    this.#openLong = openLong;
  }

  /** Where the data of an event goes that has not ended yet. */
  get long(): Long | undefined {
    return this.#long;
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
    if (this.#isInLongLine) return this.#long?.push(Buffer.from(piece));
    this.#pieces.push(piece);
    this.#pending += piece.length;
    if (this.#pending + this.#size > this.#limit) this.#spill();
  }

  /** Moves the buffered text to the long data; the rest of the line follows. */
  #spill(): void {
    // The field and the blank behind it must be there to be told apart from the data.
    if (this.#pending <= dataField.length) return;
    if (!this.#isDataLine()) {
      // A line about the event may be held beside its data.
      if (this.#pending <= this.#limit) return;
      throw new SseTooLargeError(this.#limit);
    }
    const line = this.#pieces.join('');
    this.#addLong(fieldValue(line, dataField.length - 1));
    this.#pieces = [];
    this.#pending = 0;
    this.#isInLongLine = true;
  }

  /** Looks at its first pieces only, because it may be asked for each that comes. */
  #isDataLine(): boolean {
    return this.#pieces.slice(0, dataField.length).join('').startsWith(dataField);
  }

  /** One more line of data, or the beginning of one. */
  #addLong(value: string): void {
    const lines = this.#long ? ['', value] : [...this.#data, value];
    if (!this.#openLong) throw new SseTooLargeError(this.#limit);
    this.#long ??= this.#openLong();
    this.#long.push(Buffer.from(lines.join('\n')));
    this.#data = [];
    this.#size = 0;
  }

  #endLine(): void {
    if (this.#isInLongLine) {
      this.#isInLongLine = false;
      return;
    }
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
    const value = colon === -1 ? '' : fieldValue(line, colon);
    if (field === 'data') this.#addData(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
  }

  #addData(value: string): void {
    const size = this.#size + value.length + 1;
    if (this.#long || size > this.#limit) return this.#addLong(value);
    this.#data.push(value);
    this.#size = size;
  }

  /** An event without data is still told: its id and retry time matter to a reader that resumes. */
  #dispatch(): void {
    const [data, long] = [this.#data.join('\n'), this.#long];
    const event = { event: this.#event, data, id: this.#id, retryMs: this.#retryMs, ...(long ? { long } : {}) };
    const isEmpty = this.#data.length === 0 && !long && this.#id === undefined && this.#retryMs === undefined;
    this.#data = [];
    this.#long = undefined;
    this.#size = 0;
    this.#event = 'message';
    this.#id = undefined;
    this.#retryMs = undefined;
    if (!isEmpty) this.#onEvent(event);
  }
}

function fieldValue(line: string, colon: number): string {
  return line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
}

/** A value of a server's result that is too long for the memory: where its JSON text lies in a spool file, and how to read it. */

import { GatewayError } from '../base/errors.ts';
import { isObject, JsonLimitError, parseJson } from '../base/json.ts';
import type { Result } from '../protocol/messages.ts';
import { decodeJsonText } from './decode-json-text.ts';
import type { SpoolFile } from './spool-file.ts';

export type LongKind = 'string' | 'array' | 'object';

export class LongValue {
  readonly kind: LongKind;
  /** Of its JSON text in UTF-8, quotes and brackets included. */
  readonly bytes: number;
  readonly #file: SpoolFile;
  readonly #start: number;

  constructor(kind: LongKind, file: SpoolFile, start: number, end: number) {
    this.kind = kind;
    this.bytes = end - start;
    this.#file = file;
    this.#start = start;
  }

  /** Its JSON text. */
  chunks(): AsyncGenerator<Buffer> {
    return this.#file.read(this.#start, this.#start + this.bytes);
  }

  /** Of a string, the text that it stands for; a chunk never ends inside a character. */
  textChunks(): AsyncGenerator<string> {
    if (this.kind !== 'string') throw new Error(`A long ${this.kind} has no text.`);
    return decodeJsonText(this.#file.read(this.#start + 1, this.#start + this.bytes - 1));
  }

  /** The whole value, parsed; the caller has checked `bytes`. */
  async load(): Promise<unknown> {
    const parts: Buffer[] = [];
    for await (const chunk of this.chunks()) parts.push(chunk);
    return parseJson(Buffer.concat(parts).toString('utf8'));
  }

  /** The file goes, and with it every other value of the same message. */
  release(): void {
    this.#file.release();
  }

  /** Writing it as if it were plain would lose it without a word. */
  toJSON(): never {
    throw new Error('A long value has to be read from its file; it cannot be written as it is.');
  }
}

export function hasLongValues(result: Result): boolean {
  return someLong(result, () => true);
}

/** Bytes that are not in memory. */
export function longBytes(result: Result): number {
  let bytes = 0;
  someLong(result, (value) => {
    bytes += value.bytes;
    return false;
  });
  return bytes;
}

/** Lets the spool file of a result go; nothing in it can be read afterwards. Idempotent. */
export function releaseLong(result: Result): void {
  someLong(result, (value) => {
    value.release();
    return true;
  });
}

/**
 * The plain result, and its file released; one that holds more than `limitBytes` of long values is refused, as TOO_LARGE.
 * `what` is the subject of the sentence that says so.
 */
export async function loadLong(result: Result, limitBytes: number, what = 'The result'): Promise<Result> {
  try {
    if (longBytes(result) > limitBytes) throw tooLong(`${what} is larger than ${limitBytes} bytes and was not read.`);
    return await loadMembers(result, 0);
  } catch (error) {
    throw error instanceof JsonLimitError ? tooLong(`${what} was not read. ${error.message}`) : error;
  } finally {
    releaseLong(result);
  }
}

/** Long values are members of the result, of its content blocks, or of the resource in a block. */
const deepestLong = 3;

async function loadMembers(members: Result, depth: number): Promise<Result> {
  const loaded: [string, unknown][] = [];
  for (const [name, value] of Object.entries(members)) loaded.push([name, await loadValue(value, depth + 1)]);
  return Object.fromEntries(loaded);
}

async function loadValue(value: unknown, depth: number): Promise<unknown> {
  if (value instanceof LongValue) return value.load();
  if (depth >= deepestLong) return value;
  if (!Array.isArray(value)) return isObject(value) ? loadMembers(value, depth) : value;
  const items: unknown[] = [];
  for (const item of value) items.push(isObject(item) ? await loadValue(item, depth) : item);
  return items;
}

/** Looks at every place of a result where a long value can stand, until `isEnough` says so of one; whether it did. */
function someLong(result: Result, isEnough: (value: LongValue) => boolean): boolean {
  const isHere = (value: unknown) => value instanceof LongValue && isEnough(value);
  const isIn = (holder: unknown) =>
    isObject(holder) && !(holder instanceof LongValue) && Object.values(holder).some(isHere);
  if (isIn(result)) return true;
  if (!Array.isArray(result.content)) return false;
  return result.content.some((block) => isHere(block) || isIn(block) || (isObject(block) && isIn(block.resource)));
}

function tooLong(sentence: string): GatewayError {
  return new GatewayError('TOO_LARGE', sentence, { hint: 'Ask for less at a time.' });
}

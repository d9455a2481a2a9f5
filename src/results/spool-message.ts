/** A message that is too long for the memory, while it arrives: written to a spool file, and read as far as it must be. */

import { isObject, JsonDepthError, JsonLimitError, maxJsonValues } from '../base/json.ts';
import {
  backslash,
  type JsonKind,
  JsonScanner,
  type JsonSpot,
  type JsonTreatment,
  type JsonVisitor,
  quote,
} from '../base/json-scan.ts';
import { limits } from '../config/config.ts';
import { classify, isRequestId, parseServerJson, type RequestId } from '../protocol/messages.ts';
import { hasLongValues, LongValue } from './long-value.ts';
import type { Spool } from './spool.ts';
import type { SpoolFile } from './spool-file.ts';

export class SpoolMessage {
  readonly #file: SpoolFile;
  readonly #skeleton: SkeletonReader;
  /** Set where something in it is nested too deeply: of a list, the rest can still be had. */
  #isDeep = false;

  /** Throws a GatewayError where the spool has no room. */
  constructor(spool: Spool) {
    this.#file = spool.create();
    this.#skeleton = new SkeletonReader(this.#file);
  }

  /** Throws SyntaxError (it is not JSON), JsonLimitError (it is too much) or GatewayError (there is no room for it). */
  push(bytes: Buffer): void {
    if (this.#file.size + bytes.length > limits.maxMessageBytes) {
      throw new JsonLimitError(`It is larger than ${limits.maxMessageBytes} bytes.`);
    }
    this.#file.append(bytes);
    if (this.#isDeep) return;
    try {
      this.#skeleton.push(bytes);
    } catch (error) {
      if (!(error instanceof JsonDepthError)) throw error;
      this.#isDeep = true;
    }
  }

  /** The id of the request it answers, once certain. */
  get answerId(): RequestId | undefined {
    const { id, method, result, error } = this.#skeleton.message ?? {};
    const isAnswer = method === undefined && (result !== undefined || error !== undefined);
    return isAnswer && isRequestId(id) ? id : undefined;
  }

  /**
   * The message, or messages, now that everything has come. Only in an answer with a result are long values left in
   * the file, which lives until they are released; everything else is loaded, if it is not larger than `wholeBytes`.
   */
  end(wholeBytes: number): unknown {
    if (this.#isDeep) return this.#takeWhole(wholeBytes);
    this.#skeleton.end();
    if (!this.#skeleton.isAnswer) return this.#takeWhole(wholeBytes);
    if (!this.#skeleton.hasLongValues) this.drop();
    return this.#skeleton.message;
  }

  drop(): void {
    this.#file.release();
  }

  #takeWhole(limit: number): unknown {
    if (this.#file.size > limit) throw new JsonLimitError(`It is larger than ${limit} bytes.`);
    const text = this.#file.readWhole().toString('utf8');
    this.drop();
    return parseServerJson(text);
  }
}

/** Where so much is held already, only values up to this length are added to it. */
const crowded = { heldBytes: limits.skeletonBytes / 4, keepBytes: 256 };
/** Rough cost of a value beside its text. */
const overheadBytes = 64;

type Container = Record<string, unknown> | unknown[];

/**
 * Fed with the bytes of a message as they are written to its file. Opened are the message, its result, the result's
 * content, the blocks in it and a block's resource; every other value is kept whole, or stays in the file.
 */
class SkeletonReader implements JsonVisitor {
  readonly #file: SpoolFile;
  readonly #scanner = new JsonScanner(this);
  /** The containers that are open now, by depth. */
  readonly #open: Container[] = [];
  /** Values that had begun before the one that is being kept. */
  #valuesBefore = 0;
  #heldBytes = 0;
  #heldValues = 0;
  /** Those too that a member of the same name has replaced since. */
  #longValues = 0;

  constructor(file: SpoolFile) {
    this.#file = file;
  }

  get keepBytes(): number {
    return this.#heldBytes > crowded.heldBytes ? crowded.keepBytes : limits.longValueBytes;
  }

  /** Throws SyntaxError, or JsonLimitError where too much would have to be held. */
  push(bytes: Buffer): void {
    this.#scanner.push(bytes);
  }

  end(): void {
    this.#scanner.end();
  }

  /** The message as far as it is known, where it is an object. */
  get message(): Readonly<Record<string, unknown>> | undefined {
    const root = this.#open[0];
    return root === undefined || Array.isArray(root) ? undefined : root;
  }

  /** True for an answer with a result whose long values can stay in the file; everything else is taken whole. */
  get isAnswer(): boolean {
    const message = this.message;
    if (!message || classify(message) !== 'response' || message.error !== undefined) return false;
    return !Object.values(message).some((member) => member instanceof LongValue);
  }

  /** True if the answer's result has long values within reach: its receiver can release only those. */
  get hasLongValues(): boolean {
    const result = this.message?.result;
    return this.#longValues > 0 && isObject(result) && hasLongValues(result);
  }

  onStart(spot: JsonSpot): JsonTreatment {
    if (isBlock(spot) && spot.index >= limits.maxContentBlocks) {
      throw new JsonLimitError(`It has more than ${limits.maxContentBlocks} content blocks.`);
    }
    if (isOpened(spot)) {
      this.#addContainer(spot, spot.kind === 'array' ? [] : {});
      return 'open';
    }
    // A text that is no object is not a message; a list of messages is taken whole.
    if (spot.depth === 0) return 'skip';
    this.#valuesBefore = this.#scanner.values;
    return 'keep';
  }

  onEnd(spot: JsonSpot, kept: Buffer | undefined): void {
    if (spot.depth === 0 || isOpened(spot)) return;
    this.#hold((spot.key?.length ?? 0) + (kept?.length ?? 0) + overheadBytes);
    if (!kept) return this.#addLong(spot);
    this.#heldValues += this.#scanner.values - this.#valuesBefore;
    if (this.#heldValues > maxJsonValues) throw new JsonLimitError(`It holds more than ${maxJsonValues} short values.`);
    this.#add(spot, parsed(kept));
  }

  #addContainer(spot: JsonSpot, container: Container): void {
    this.#hold((spot.key?.length ?? 0) + overheadBytes);
    this.#open.length = spot.depth;
    if (spot.depth > 0) this.#add(spot, container);
    this.#open.push(container);
  }

  #addLong(spot: JsonSpot): void {
    if (!isLongKind(spot.kind)) throw new JsonLimitError('It has a number of very many digits.');
    this.#longValues += 1;
    this.#add(spot, new LongValue(spot.kind, this.#file, spot.start, spot.end));
  }

  #add(spot: JsonSpot, value: unknown): void {
    const parent = this.#open[spot.depth - 1];
    const key = spot.key ?? '';
    if (Array.isArray(parent)) parent.push(value);
    // As `JSON.parse` does it: a plain member, whatever its name.
    else if (key === '__proto__') Object.defineProperty(parent, key, { ...plainMember, value });
    else if (parent) parent[key] = value;
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#heldBytes > limits.skeletonBytes) {
      throw new JsonLimitError(`Its short values are more than ${limits.skeletonBytes} bytes together.`);
    }
  }
}

/** Most are short strings without an escape, and need no parser. */
function parsed(bytes: Buffer): unknown {
  const isPlainString = bytes[0] === quote && !bytes.includes(backslash);
  return isPlainString ? bytes.toString('utf8', 1, bytes.length - 1) : JSON.parse(bytes.toString('utf8'));
}

const plainMember = { writable: true, enumerable: true, configurable: true };

/** True if the values inside a value have places of their own; it must itself lie in an opened value. */
function isOpened({ kind, depth, key }: JsonSpot): boolean {
  if (depth === 2) return kind === 'array' && key === 'content';
  if (kind !== 'object') return false;
  if (depth === 1) return key === 'result';
  return depth === 0 || depth === 3 || (depth === 4 && key === 'resource');
}

function isBlock({ depth }: JsonSpot): boolean {
  return depth === 3;
}

function isLongKind(kind: JsonKind): kind is 'string' | 'array' | 'object' {
  return kind === 'string' || kind === 'array' || kind === 'object';
}

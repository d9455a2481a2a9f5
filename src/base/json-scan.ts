/** Walks JSON that comes in chunks without holding it: tells where its values begin and end, and refuses what is not JSON. */

import { JsonDepthError, JsonLimitError, maxJsonDepth } from './json.ts';

export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** A value and its place. Offsets count bytes from the start of the text. */
export interface JsonSpot {
  readonly kind: JsonKind;
  /** 0 for the value that is the whole text, 1 for its members or items, and so on. */
  readonly depth: number;
  /** The name of a member of an object. */
  readonly key: string | undefined;
  /** Which of its siblings it is, from 0, in arrays and objects. */
  readonly index: number;
  readonly start: number;
  /** Behind its last byte; -1 until that is known. */
  readonly end: number;
}

/**
 * How the scanner treats a value that begins: `open` reports its content, `skip` does not (it is checked all the
 * same), `keep` does not either, and collects its bytes. For a value that holds no others, `open` and `skip` are one.
 */
export type JsonTreatment = 'open' | 'skip' | 'keep';

export interface JsonVisitor {
  /** The longest value that is kept; read whenever one is. */
  readonly keepBytes?: number;
  /** Becomes true when the rest does not matter; looked at after each chunk by `scanJson`. */
  readonly isDone?: boolean;
  onStart(spot: JsonSpot): JsonTreatment;
  /** `kept` is the value's text where it was to be kept and was not too long. */
  onEnd(spot: JsonSpot, kept: Buffer | undefined): void;
}

/** Longest name of a member that is told. */
const maxKeyBytes = 64 * 1_024;

// States: the token that may come next, or the one being read.
const wantsValue = 0;
const wantsItemOrEnd = 1;
const wantsKeyOrEnd = 2;
const wantsKey = 3;
const wantsColon = 4;
const wantsCommaOrEnd = 5;
const wantsNothing = 6;
const inString = 7;
const inEscape = 8;
const inHex = 9;
const inNumber = 10;
const inWord = 11;

const words = { t: Buffer.from('true'), f: Buffer.from('false'), n: Buffer.from('null') };

type Building = { -readonly [Name in keyof JsonSpot]: JsonSpot[Name] };

export class JsonScanner {
  readonly #visitor: JsonVisitor;
  readonly #maxDepth: number;
  /** By depth: whether the open container is an object, its place where it is told, and how many values it has so far. */
  readonly #isObject: Uint8Array;
  readonly #spots: (Building | undefined)[] = [];
  readonly #counts: number[] = [];
  readonly #names = new NameMemory();
  #depth = 0;
  /** The depth of the outermost container of whose inside nothing is told. */
  #hiddenAt = -1;
  #state = wantsValue;
  #isKey = false;
  #isKeyPlain = true;
  #key: string | undefined;
  /** The string, number or word that is being read, where it is told. */
  #scalar: Building | undefined;
  #numberPart: number = numberParts.sign;
  #hexLeft = 0;
  #word = words.n;
  #wordAt = 0;
  #offset = 0;
  #values = 0;
  /** The bytes of a key or of a value to be kept; undefined when none is. */
  #taken: Buffer[] | undefined;
  #takenBytes = 0;
  #takeLimit = 0;
  /** Where in the chunk at hand the part begins that is to be taken. */
  #takeFrom = 0;

  constructor(visitor: JsonVisitor, maxDepth = maxJsonDepth) {
    this.#visitor = visitor;
    this.#maxDepth = maxDepth;
    this.#isObject = new Uint8Array(maxDepth + 1);
  }

  /** Values that have begun so far, told or not. */
  get values(): number {
    return this.#values;
  }

  /** Throws SyntaxError or JsonLimitError; nothing may follow then. */
  push(chunk: Buffer): void {
    this.#takeFrom = 0;
    for (let at = 0; at < chunk.length; ) at = this.#step(chunk, at);
    this.#takeRest(chunk, chunk.length);
    this.#offset += chunk.length;
  }

  /** The text is at its end; throws where the value is not. */
  end(): void {
    this.#takeFrom = 0;
    if (this.#state === inNumber) this.#endNumber(Buffer.alloc(0), 0);
    if (this.#state !== wantsNothing) throw new SyntaxError('The JSON ends before it is complete.');
  }

  #step(chunk: Buffer, at: number): number {
    switch (this.#state) {
      case inString:
        return this.#readString(chunk, at);
      case inNumber:
        return this.#readNumber(chunk, at);
      case inEscape:
        return this.#readEscape(chunk, at);
      case inHex:
        return this.#readHex(chunk, at);
      case inWord:
        return this.#readWord(chunk, at);
      default:
        return this.#readMark(chunk, at);
    }
  }

  /** Between values: white space, brackets, commas, colons, and the first byte of what comes next. */
  #readMark(chunk: Buffer, at: number): number {
    const byte = chunk[at] as number;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1;
    switch (this.#state) {
      case wantsItemOrEnd:
        if (byte === 0x5d) return this.#close(chunk, at);
        return this.#begin(at, byte);
      case wantsValue:
        return this.#begin(at, byte);
      case wantsKeyOrEnd:
        if (byte === 0x7d) return this.#close(chunk, at);
        return this.#beginKey(at, byte);
      case wantsKey:
        return this.#beginKey(at, byte);
      case wantsColon:
        if (byte !== 0x3a) throw this.#unexpected(at);
        this.#state = wantsValue;
        return at + 1;
      case wantsCommaOrEnd:
        return this.#afterValue(chunk, at, byte);
      default:
        throw this.#unexpected(at);
    }
  }

  #afterValue(chunk: Buffer, at: number, byte: number): number {
    const isObject = this.#isObject[this.#depth - 1] === 1;
    if (byte === 0x2c) {
      this.#state = isObject ? wantsKey : wantsValue;
      return at + 1;
    }
    if (byte !== (isObject ? 0x7d : 0x5d)) throw this.#unexpected(at);
    return this.#close(chunk, at);
  }

  #beginKey(at: number, byte: number): number {
    if (byte !== quote) throw this.#unexpected(at);
    this.#state = inString;
    this.#isKey = true;
    this.#isKeyPlain = true;
    if (this.#hiddenAt === -1) this.#take(at, maxKeyBytes);
    return at + 1;
  }

  #begin(at: number, byte: number): number {
    if (byte === quote) {
      this.#scalar = this.#start('string', at);
      this.#isKey = false;
      this.#state = inString;
    } else if (byte === 0x7b) this.#open('object', at);
    else if (byte === 0x5b) this.#open('array', at);
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      this.#scalar = this.#start('number', at);
      this.#numberPart = byte === 0x2d ? numberParts.sign : byte === 0x30 ? numberParts.zero : numberParts.whole;
      this.#state = inNumber;
    } else this.#beginWord(at, byte);
    return at + 1;
  }

  #beginWord(at: number, byte: number): void {
    if (byte === 0x74) this.#word = words.t;
    else if (byte === 0x66) this.#word = words.f;
    else if (byte === 0x6e) this.#word = words.n;
    else throw this.#unexpected(at);
    this.#scalar = this.#start(byte === 0x6e ? 'null' : 'boolean', at);
    this.#wordAt = 1;
    this.#state = inWord;
  }

  /** Tells of a value where it is to be told. */
  #start(kind: JsonKind, at: number): Building | undefined {
    this.#values += 1;
    if (this.#hiddenAt !== -1) return undefined;
    const depth = this.#depth;
    const index = depth === 0 ? 0 : (this.#counts[depth - 1] as number);
    if (depth > 0) this.#counts[depth - 1] = index + 1;
    const spot: Building = { kind, depth, key: this.#key, index, start: this.#offset + at, end: -1 };
    this.#key = undefined;
    const treatment = this.#visitor.onStart(spot);
    if (treatment === 'keep') this.#take(at, this.#visitor.keepBytes ?? Number.POSITIVE_INFINITY);
    if (treatment !== 'open' && (kind === 'object' || kind === 'array')) this.#hiddenAt = depth;
    return spot;
  }

  #open(kind: 'object' | 'array', at: number): void {
    const depth = this.#depth;
    if (depth >= this.#maxDepth) throw new JsonDepthError(this.#maxDepth);
    const spot = this.#start(kind, at);
    this.#spots[depth] = spot;
    this.#counts[depth] = 0;
    this.#isObject[depth] = kind === 'object' ? 1 : 0;
    this.#depth = depth + 1;
    this.#state = kind === 'object' ? wantsKeyOrEnd : wantsItemOrEnd;
  }

  #close(chunk: Buffer, at: number): number {
    this.#depth -= 1;
    const depth = this.#depth;
    if (this.#hiddenAt === depth) this.#hiddenAt = -1;
    if (this.#hiddenAt === -1) this.#tellEnd(this.#spots[depth], chunk, at + 1);
    this.#state = depth === 0 ? wantsNothing : wantsCommaOrEnd;
    return at + 1;
  }

  #endScalar(chunk: Buffer, end: number): void {
    if (this.#scalar) this.#tellEnd(this.#scalar, chunk, end);
    this.#scalar = undefined;
    this.#state = this.#depth === 0 ? wantsNothing : wantsCommaOrEnd;
  }

  #tellEnd(spot: Building | undefined, chunk: Buffer, end: number): void {
    if (!spot) return;
    spot.end = this.#offset + end;
    this.#visitor.onEnd(spot, this.#takeOut(chunk, end));
  }

  #readString(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === quote || byte === backslash || byte < 0x20) break;
    }
    if (at === chunk.length) return at;
    if (chunk[at] === backslash) this.#state = inEscape;
    else if (chunk[at] !== quote) throw this.#unexpected(at);
    else if (this.#isKey) this.#endKey(chunk, at + 1);
    else this.#endScalar(chunk, at + 1);
    return at + 1;
  }

  #endKey(chunk: Buffer, end: number): void {
    this.#state = wantsColon;
    if (this.#hiddenAt !== -1) return;
    const isInOneChunk = this.#takenBytes === 0;
    const bytes = isInOneChunk ? chunk : this.#takeOut(chunk, end);
    const [from, to] = isInOneChunk ? [this.#takeFrom, end] : [0, bytes?.length ?? 0];
    this.#taken = undefined;
    if (!bytes || to - from > maxKeyBytes) {
      throw new JsonLimitError(`The JSON has a name that is longer than ${maxKeyBytes} bytes.`);
    }
    this.#key = this.#isKeyPlain
      ? this.#names.read(bytes, from + 1, to - 1)
      : (JSON.parse(bytes.toString('utf8', from, to)) as string);
  }

  #readEscape(chunk: Buffer, at: number): number {
    const byte = chunk[at] as number;
    this.#isKeyPlain = false;
    if (byte === 0x75) {
      this.#state = inHex;
      this.#hexLeft = 4;
    } else if (isEscape(byte)) this.#state = inString;
    else throw this.#unexpected(at);
    return at + 1;
  }

  #readHex(chunk: Buffer, at: number): number {
    if (!isHexDigit(chunk[at] as number)) throw this.#unexpected(at);
    this.#hexLeft -= 1;
    if (this.#hexLeft === 0) this.#state = inString;
    return at + 1;
  }

  #readWord(chunk: Buffer, at: number): number {
    if (chunk[at] !== this.#word[this.#wordAt]) throw this.#unexpected(at);
    this.#wordAt += 1;
    if (this.#wordAt === this.#word.length) this.#endScalar(chunk, at + 1);
    return at + 1;
  }

  #readNumber(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const next = nextPart(this.#numberPart, chunk[at] as number);
      if (next === -1) {
        this.#endNumber(chunk, at);
        return at;
      }
      this.#numberPart = next;
    }
    return chunk.length;
  }

  #endNumber(chunk: Buffer, end: number): void {
    if (!isWholeNumber(this.#numberPart)) throw this.#unexpected(end);
    this.#endScalar(chunk, end);
  }

  #take(at: number, limit: number): void {
    this.#taken = [];
    this.#takenBytes = 0;
    this.#takeLimit = limit;
    this.#takeFrom = at;
  }

  #takeRest(chunk: Buffer, end: number): void {
    if (!this.#taken || this.#takenBytes > this.#takeLimit) return;
    this.#takenBytes += end - this.#takeFrom;
    // Too long: what was collected is of no use, and no more is.
    if (this.#takenBytes > this.#takeLimit) this.#taken = [];
    else if (end > this.#takeFrom) this.#taken.push(chunk.subarray(this.#takeFrom, end));
  }

  #takeOut(chunk: Buffer, end: number): Buffer | undefined {
    if (!this.#taken) return undefined;
    this.#takeRest(chunk, end);
    const parts = this.#taken;
    this.#taken = undefined;
    if (this.#takenBytes > this.#takeLimit) return undefined;
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  #unexpected(at: number): SyntaxError {
    return new SyntaxError(`The JSON has something unexpected at byte ${this.#offset + at}.`);
  }
}

/** Scans a whole text, giving way to other work between chunks. */
export async function scanJson(chunks: AsyncIterable<Buffer>, visitor: JsonVisitor): Promise<void> {
  const scanner = new JsonScanner(visitor);
  for await (const chunk of chunks) {
    scanner.push(chunk);
    if (visitor.isDone) return;
    await new Promise(setImmediate);
  }
  scanner.end();
}

/** Longer names are seldom the same twice. */
const longestRemembered = 32;
const buckets = 64;

interface Remembered {
  readonly bytes: Buffer;
  readonly name: string;
}

/** Reuses names: the same few come again and again, so each is decoded once. */
class NameMemory {
  readonly #names: (Remembered | undefined)[] = new Array(buckets).fill(undefined);

  /** The name in these bytes, as UTF-8 without escapes. */
  read(bytes: Buffer, from: number, to: number): string {
    const length = to - from;
    if (length === 0 || length > longestRemembered) return bytes.toString('utf8', from, to);
    const bucket = (length * 31 + (bytes[from] as number) * 7 + (bytes[to - 1] as number)) % buckets;
    const known = this.#names[bucket];
    if (known && isSame(known.bytes, bytes, from, length)) return known.name;
    const name = bytes.toString('utf8', from, to);
    this.#names[bucket] = { bytes: Buffer.from(bytes.subarray(from, to)), name };
    return name;
  }
}

function isSame(known: Buffer, bytes: Buffer, from: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at += 1) if (known[at] !== bytes[from + at]) return false;
  return true;
}

export const quote = 0x22;
export const backslash = 0x5c;

/** States of a number, by its last byte so far. */
const numberParts = {
  sign: 0,
  zero: 1,
  whole: 2,
  point: 3,
  fraction: 4,
  exponent: 5,
  exponentSign: 6,
  power: 7,
} as const;

/** True where a number may end. */
function isWholeNumber(part: number): boolean {
  const { zero, whole, fraction, power } = numberParts;
  return part === zero || part === whole || part === fraction || part === power;
}

/** The state of a number after one more byte; -1 when the byte does not belong to it. */
function nextPart(part: number, byte: number): number {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const isExponent = byte === 0x65 || byte === 0x45;
  switch (part) {
    case numberParts.sign:
      return byte === 0x30 ? numberParts.zero : isDigit ? numberParts.whole : -1;
    case numberParts.zero:
      return byte === 0x2e ? numberParts.point : isExponent ? numberParts.exponent : -1;
    case numberParts.whole:
      return isDigit ? numberParts.whole : byte === 0x2e ? numberParts.point : isExponent ? numberParts.exponent : -1;
    case numberParts.point:
      return isDigit ? numberParts.fraction : -1;
    case numberParts.fraction:
      return isDigit ? numberParts.fraction : isExponent ? numberParts.exponent : -1;
    case numberParts.exponent:
      return isDigit ? numberParts.power : byte === 0x2b || byte === 0x2d ? numberParts.exponentSign : -1;
    default:
      return isDigit ? numberParts.power : -1;
  }
}

/** `"`, `\`, `/`, b, f, n, r, t */
function isEscape(byte: number): boolean {
  return (
    byte === quote ||
    byte === backslash ||
    byte === 0x2f ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === 0x6e ||
    byte === 0x72 ||
    byte === 0x74
  );
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

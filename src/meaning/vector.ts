/** Vectors, directions in the space of meanings: how one is stored, and dot products of many at once by a kernel of 128-bit instructions. Its source is `dots.wat`; a test keeps the two in step. */

export interface Vector {
  readonly values: Int8Array;
  /** The length of the vector is 1: `values × scale`. */
  readonly scale: number;
}

const most = 127;

/** The direction of `numbers`, whatever their length; null where they have none. */
export function toVector(numbers: ArrayLike<number>): Vector | null {
  let largest = 0;
  for (let at = 0; at < numbers.length; at += 1) largest = Math.max(largest, Math.abs(numbers[at] ?? 0));
  if (!(largest > 0) || !Number.isFinite(largest)) return null;
  const values = new Int8Array(numbers.length);
  let squares = 0;
  for (let at = 0; at < numbers.length; at += 1) {
    // Divided before it is squared: the square of a very small or very large number is 0 or infinite.
    const share = (numbers[at] ?? 0) / largest;
    squares += share * share;
    values[at] = Math.round(share * most);
  }
  return { values, scale: 1 / most / Math.sqrt(squares) };
}

const kernel = [
  'AGFzbQEAAAABDgJgAXsBf2AFf39/f38AAwQDAAEBBQYBAQGAgAQHFwMGbWVtb3J5AgADb25lAAEEZm91cgACCs0EAxkAIAD9GwAgAP0bAWogAP0bAiAA',
  '/RsDamoLlAECA38CeyAAIAEgAmxqIQUCQANAIAAgBU8NASAAIAJqIQYgAyEH/QwAAAAAAAAAAAAAAAAAAAAAIQkDQCAA/QAEACEIIAkgCP2HASAH/QAE',
  'AP26ASAI/YgBIAf9AAQQ/boB/a4B/a4BIQkgB0EgaiEHIABBEGohACAAIAZJDQALIAQgCRAANgIAIARBBGohBAwACwsLmgMCCH8GeyAAIAEgAmxqIQUg',
  'AkEBdCEHIAFBAnQhCAJAA0AgACAFTw0BIAAgAmohBiADIQkgCSAHaiEKIAogB2ohCyALIAdqIQz9DAAAAAAAAAAAAAAAAAAAAAAhD/0MAAAAAAAAAAAA',
  'AAAAAAAAACEQ/QwAAAAAAAAAAAAAAAAAAAAAIRH9DAAAAAAAAAAAAAAAAAAAAAAhEgNAIAD9AAQAIQ4gDv2HASENIA79iAEhDiAPIA0gCf0ABAD9ugEg',
  'DiAJ/QAEEP26Af2uAf2uASEPIBAgDSAK/QAEAP26ASAOIAr9AAQQ/boB/a4B/a4BIRAgESANIAv9AAQA/boBIA4gC/0ABBD9ugH9rgH9rgEhESASIA0g',
  'DP0ABAD9ugEgDiAM/QAEEP26Af2uAf2uASESIAlBIGohCSAKQSBqIQogC0EgaiELIAxBIGohDCAAQRBqIQAgACAGSQ0ACyAEIA8QADYCACAEIAhqIBAQ',
  'ADYCACAEIAhBAmxqIBEQADYCACAEIAhBA2xqIBIQADYCACAEQQRqIQQMAAsLCw==',
].join('');

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  one(rows: number, count: number, width: number, vector: number, out: number): void;
  four(rows: number, count: number, width: number, vectors: number, out: number): void;
}

/** The part in use; Node's own types lack WebAssembly. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

const pageBytes = 65_536;
/** Vectors that the kernel takes in one pass over the rows. */
const vectorsPerPass = 4;

/** One memory with the kernel over it. Addresses are bytes from its start; rows and vectors begin at multiples of 16. */
export class Dots {
  readonly #exports: Exports;

  constructor() {
    module ??= new WebAssembly.Module(kernelBytes());
    // The kernel is ours and its exports are known.
    this.#exports = new WebAssembly.Instance(module).exports as Exports;
  }

  get buffer(): ArrayBuffer {
    return this.#exports.memory.buffer;
  }

  /** Makes room for this number of bytes. Earlier views of the buffer are no longer valid. */
  reserve(bytes: number): void {
    const missing = bytes - this.buffer.byteLength;
    if (missing > 0) this.#exports.memory.grow(Math.ceil(missing / pageBytes));
  }

  /** Row r times vector v as int32 at `out + 4 * (v * count + r)`. Rows are int8, vectors int16, `width` a multiple of 16. */
  multiply(rows: number, count: number, width: number, vectors: number, vectorCount: number, out: number): void {
    let done = 0;
    for (; done + vectorsPerPass <= vectorCount; done += vectorsPerPass)
      this.#exports.four(rows, count, width, vectors + 2 * width * done, out + 4 * count * done);
    for (; done < vectorCount; done += 1)
      this.#exports.one(rows, count, width, vectors + 2 * width * done, out + 4 * count * done);
  }
}

let module: object | undefined;

export function kernelBytes(): Uint8Array {
  return Buffer.from(kernel, 'base64');
}

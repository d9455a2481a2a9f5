/** Rows of weights that are added up, each times a number, by a kernel of 128-bit instructions. Its source is `weighted-rows.wat`; a test keeps the two in step. */

const kernel = [
  'AGFzbQEAAAABCAFgBH9/f38AAwIBAAUGAQEBgIAEBxACBm1lbW9yeQIAA2FkZAAACuYBAeMBAgR/BXsgACABQQN0aiEFAkAgAUUNAANAIAIgA08NASAC/QAE',
  'ACEJIAL9AAQQIQogAv0ABCAhCyAC/QAEMCEMIAAhBANAIAT9CQIAIQggBCgCBCAHaiEGIAkgCCAG/QAEAP3mAf3kASEJIAogCCAG/QAEEP3mAf3kASEKIAsg',
  'CCAG/QAEIP3mAf3kASELIAwgCCAG/QAEMP3mAf3kASEMIARBCGohBCAEIAVJDQALIAIgCf0LBAAgAiAK/QsEECACIAv9CwQgIAIgDP0LBDAgB0HAAGohByAC',
  'QcAAaiECDAALCws=',
].join('');

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  add(list: number, count: number, out: number, end: number): void;
}

/** The part in use; Node's own types lack WebAssembly. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

const pageBytes = 65_536;
/** Sums that the kernel computes in one step. */
const sumsAtOnce = 16;
/** Rows that are added at a time; the list of them is at the start of the memory. */
const rowsAtOnce = 1_024;
const listBytes = 8 * rowsAtOnce;

/** One memory with the kernel over it, for the rows of all layers of a model. */
export class RowMemory {
  readonly #exports: Exports;
  #used = listBytes;
  #floats: Float32Array;
  #integers: Int32Array;

  constructor() {
    module ??= new WebAssembly.Module(rowKernelBytes());
    // The kernel is ours and its exports are known.
    this.#exports = new WebAssembly.Instance(module).exports as Exports;
    this.#floats = new Float32Array(this.#exports.memory.buffer);
    this.#integers = new Int32Array(this.#exports.memory.buffer);
  }

  get floats(): Float32Array {
    return this.#floats;
  }

  /** The address of new room for this number of floats, all 0. Earlier views are no longer valid. */
  reserve(count: number): number {
    const start = this.#used;
    this.#used += 4 * count;
    const missing = this.#used - this.#exports.memory.buffer.byteLength;
    if (missing > 0) this.#exports.memory.grow(Math.ceil(missing / pageBytes));
    this.#floats = new Float32Array(this.#exports.memory.buffer);
    this.#integers = new Int32Array(this.#exports.memory.buffer);
    return start;
  }

  /** Puts a row on the list of those to be added. */
  list(at: number, number: number, row: number): void {
    this.#floats[2 * at] = number;
    this.#integers[2 * at + 1] = row;
  }

  /** Adds the first `count` rows of the list, in their order. */
  add(count: number, out: number, end: number): void {
    this.#exports.add(0, count, out, end);
  }
}

/** A matrix stored by input: each input adds its row, times its value, to all outputs. Most inputs are 0 and are skipped. */
export class WeightedRows {
  readonly #memory: RowMemory;
  readonly #start: number;
  readonly #rowBytes: number;
  readonly #sums: number;

  constructor(memory: RowMemory, weights: Float32Array, columns: number) {
    const stride = sumsAtOnce * Math.ceil(columns / sumsAtOnce);
    const count = weights.length / columns;
    this.#memory = memory;
    this.#rowBytes = 4 * stride;
    this.#start = memory.reserve(count * stride);
    this.#sums = memory.reserve(stride);
    for (let row = 0; row < count; row += 1)
      memory.floats.set(weights.subarray(row * columns, (row + 1) * columns), this.#start / 4 + row * stride);
  }

  /** Adds `count` numbers of `input`, which belong to the rows from `row` on, to `output`. */
  add(input: Float32Array, from: number, count: number, row: number, output: Float32Array): void {
    const memory = this.#memory;
    const first = this.#start + row * this.#rowBytes;
    memory.floats.set(output, this.#sums / 4);
    let listed = 0;
    for (let at = 0; at < count; at += 1) {
      const number = input[from + at] ?? 0;
      if (number === 0) continue;
      if (listed === rowsAtOnce) {
        this.#addListed(listed);
        listed = 0;
      }
      memory.list(listed, number, first + at * this.#rowBytes);
      listed += 1;
    }
    this.#addListed(listed);
    output.set(memory.floats.subarray(this.#sums / 4, this.#sums / 4 + output.length));
  }

  #addListed(count: number): void {
    this.#memory.add(count, this.#sums, this.#sums + this.#rowBytes);
  }
}

let module: object | undefined;

export function rowKernelBytes(): Uint8Array {
  return Buffer.from(kernel, 'base64');
}

/** Reads the files that `model/export.py` writes: a header, then blocks of numbers, each beginning at a multiple of 16 bytes. */

import { readFileSync } from 'node:fs';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';

const magic = 'TCM1';
const alignment = 16;

export class ModelFile {
  readonly header: Readonly<Record<string, unknown>>;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #path: string;
  #at: number;

  static read(path: string): ModelFile {
    return new ModelFile(path, readFileSync(path));
  }

  private constructor(path: string, bytes: Uint8Array) {
    this.#path = path;
    // A copy that begins at 0, so that typed views of any width fit.
    this.#bytes = bytes.byteOffset % alignment === 0 ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
    const length = bytes.length >= 8 ? Buffer.from(bytes.buffer, bytes.byteOffset + 4, 4).readUInt32LE() : 0;
    this.#at = 8 + length;
    if (Buffer.from(bytes.subarray(0, 4)).toString() !== magic) throw this.broken();
    if (this.#at > bytes.length || this.#at % alignment !== 0) throw this.broken();
    this.header = this.#readHeader();
  }

  /** A whole number of the header. */
  number(name: string): number {
    const value = this.header[name];
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) throw this.broken();
    return value;
  }

  /** The model's id, under which its vectors are stored. */
  get id(): string {
    const { id } = this.header;
    if (typeof id !== 'string' || id === '') throw this.broken();
    return id;
  }

  nextFloats(count: number): Float32Array {
    const start = this.#next(4 * count);
    return new Float32Array(this.#bytes.buffer, start, count);
  }

  nextInt8(count: number): Int8Array {
    const start = this.#next(count);
    return new Int8Array(this.#bytes.buffer, start, count);
  }

  #readHeader(): Record<string, unknown> {
    const text = Buffer.from(this.#bytes.subarray(8, this.#at)).toString();
    try {
      const header: unknown = JSON.parse(text);
      if (isObject(header)) return header;
    } catch (cause) {
      throw this.broken(cause);
    }
    throw this.broken();
  }

  #next(bytes: number): number {
    const start = this.#at;
    if (start + bytes > this.#bytes.length) throw this.broken();
    this.#at = start + Math.ceil(bytes / alignment) * alignment;
    return this.#bytes.byteOffset + start;
  }

  /** For a reader whose own checks fail. */
  broken(cause?: unknown): GatewayError {
    return new GatewayError('MODEL_BROKEN', `The model file ${this.#path} is damaged or of another version.`, {
      hint: 'Install Toolcrib again.',
      cause,
    });
  }
}

/** Writes an encoder with random weights, small enough to be computed by plain loops, in the layout of `model/export.py`. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { modelFile } from './model-file.ts';

export interface TinyShape {
  readonly pieces: number;
  readonly width: number;
  readonly inner: number;
  readonly heads: number;
  readonly layers: number;
  readonly positions: number;
}

export interface TinyLinear {
  /** One row an output. */
  readonly rows: readonly (readonly number[])[];
  readonly bias: readonly number[];
}

export interface TinyNorm {
  readonly weights: readonly number[];
  readonly bias: readonly number[];
}

export interface TinyLayer {
  readonly query: TinyLinear;
  readonly key: TinyLinear;
  readonly value: TinyLinear;
  readonly mixing: TinyLinear;
  readonly widening: TinyLinear;
  readonly narrowing: TinyLinear;
  readonly mixingNorm: TinyNorm;
  readonly narrowingNorm: TinyNorm;
}

/** The weights exactly as the files say them. */
export interface TinyEncoder {
  readonly shape: TinyShape;
  readonly folder: string;
  readonly vocabulary: string;
  readonly pieceRows: readonly (readonly number[])[];
  readonly positionRows: readonly (readonly number[])[];
  readonly norm: TinyNorm;
  readonly layers: readonly TinyLayer[];
}

const smallShape: TinyShape = { pieces: 200, width: 32, inner: 48, heads: 2, layers: 2, positions: 24 };
const firstWord = 110;

/** The vocabulary knows `word110` to the last piece of the shape. */
export function writeTinyEncoder(folder: string, wanted: Partial<TinyShape> = {}): TinyEncoder {
  const shape = { ...smallShape, ...wanted };
  const { pieces, width, inner, heads, layers, positions } = shape;
  const random = seeded(7);
  mkdirSync(folder, { recursive: true });

  const embeddings = new ModelWriter({ kind: 'encoder-embeddings', id: 'tiny', pieces, width, positions }, random);
  const pieceRows = embeddings.rows(pieces, width, 1);
  const positionRows = embeddings.floatRows(positions, width);
  const norm = embeddings.norm(width);
  embeddings.save(join(folder, 'encoder.embeddings'));

  const writer = new ModelWriter({ kind: 'encoder-layers', id: 'tiny', layers, width, inner, heads }, random);
  const made = Array.from({ length: layers }, (): TinyLayer => {
    const [query, key, value, mixing] = [0, 0, 0, 0].map(() => writer.linear(width, width)) as [
      TinyLinear,
      TinyLinear,
      TinyLinear,
      TinyLinear,
    ];
    const widening = writer.linear(inner, width);
    const narrowing = writer.linear(width, inner);
    const mixingNorm = writer.norm(width);
    return { query, key, value, mixing, widening, narrowing, mixingNorm, narrowingNorm: writer.norm(width) };
  });
  writer.save(join(folder, 'encoder.layers'));

  const words = Array.from({ length: pieces }, (_, number) => (number < firstWord ? `[${number}]` : `word${number}`));
  const vocabulary = join(folder, 'vocabulary.txt');
  writeFileSync(vocabulary, words.join('\n'));
  return { shape, folder, vocabulary, pieceRows, positionRows, norm, layers: made };
}

class ModelWriter {
  readonly #parts: Buffer[] = [];
  readonly #random: () => number;

  constructor(header: Readonly<Record<string, unknown>>, random: () => number) {
    this.#random = random;
    this.#parts.push(modelFile(header, []));
  }

  linear(count: number, width: number): TinyLinear {
    return { rows: this.rows(count, width, 2 / Math.sqrt(width)), bias: this.#floats(count) };
  }

  norm(width: number): TinyNorm {
    return { weights: this.#floats(width), bias: this.#floats(width) };
  }

  /** Scales, then int8 numbers. */
  rows(count: number, width: number, size: number): number[][] {
    const scales = Float32Array.from({ length: count }, () => (size * (1 + this.#random() / 2)) / 127);
    const values = Int8Array.from({ length: count * width }, () => Math.round(127 * this.#random()));
    this.#append(scales);
    this.#append(values);
    return Array.from(scales, (scale, row) =>
      Array.from(values.subarray(row * width, (row + 1) * width), (value) => value * scale),
    );
  }

  floatRows(count: number, width: number): number[][] {
    const values = this.#floats(count * width);
    return Array.from({ length: count }, (_, row) => values.slice(row * width, (row + 1) * width));
  }

  save(path: string): void {
    writeFileSync(path, Buffer.concat(this.#parts));
  }

  #floats(count: number): number[] {
    const values = Float32Array.from({ length: count }, () => this.#random());
    this.#append(values);
    return Array.from(values);
  }

  #append(numbers: Float32Array | Int8Array): void {
    const bytes = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    this.#parts.push(bytes, Buffer.alloc((16 - (bytes.length % 16)) % 16));
  }
}

/** Numbers from -1 to 1, the same ones every time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2_147_483_648;
  };
}

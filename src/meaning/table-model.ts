/** The built-in model: a table with one vector for each word piece; a text means the sum of its pieces. */

import { readFileSync } from 'node:fs';
import type { EmbeddingModel } from './meaning.ts';
import { ModelFile } from './model-file.ts';
import { assetPath, WordPieces } from './model-input.ts';
import { toVector, type Vector } from './vector.ts';

/** Pieces of one text that count; definitions are cut well before. */
const mostPieces = 256;

let opened: TableModel | undefined;

/** The table of this package, read at the first use and kept. */
export function openTable(): TableModel {
  opened ??= new TableModel(assetPath('table.bin'), assetPath('vocabulary.txt'));
  return opened;
}

export class TableModel implements EmbeddingModel {
  readonly id: string;
  readonly kind = 'table';
  readonly width: number;
  readonly dimensions: number;
  readonly #pieces: WordPieces;
  readonly #scales: Float32Array;
  readonly #rows: Int8Array;

  constructor(tablePath: string, vocabularyPath: string) {
    const file = ModelFile.read(tablePath);
    const count = file.number('pieces');
    this.id = file.id;
    this.width = file.number('width');
    this.dimensions = this.width;
    this.#scales = file.nextFloats(count);
    this.#rows = file.nextInt8(count * this.width);
    this.#pieces = new WordPieces(readFileSync(vocabularyPath, 'utf8'));
  }

  async embed(texts: readonly string[]): Promise<(Vector | null)[]> {
    return texts.map((text) => this.vectorOf(text));
  }

  async close(): Promise<void> {}

  /** At once, in microseconds. null for a text without a single known piece. */
  vectorOf(text: string): Vector | null {
    const { width } = this;
    const sum = new Float32Array(width);
    for (const number of this.#pieces.numbersOf(text, mostPieces)) {
      const scale = this.#scales[number] ?? 0;
      const start = number * width;
      for (let at = 0; at < width; at += 1) sum[at] = (sum[at] ?? 0) + scale * (this.#rows[start + at] ?? 0);
    }
    return toVector(sum);
  }
}

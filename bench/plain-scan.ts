/** Two plain ways to find tools without an index: what search is compared with. */

import { type TableModel, textOfTool, type Vector } from '../src/meaning/meaning.ts';
import type { SearchDocument } from '../src/search/search.ts';

interface Scored {
  readonly key: string;
  readonly score: number;
}

/** Every vector, as 32-bit numbers, times that of the query, in a plain loop. */
export class PlainScan {
  readonly #documents: readonly SearchDocument[];
  readonly #table: TableModel;
  readonly #rows: Float32Array;

  constructor(documents: readonly SearchDocument[], table: TableModel) {
    this.#documents = documents;
    this.#table = table;
    this.#rows = new Float32Array(documents.length * table.width);
    for (const [at, document] of documents.entries())
      this.#rows.set(numbersOf(table.vectorOf(textOfTool(document)), table.width), at * table.width);
  }

  best(query: string, count: number): Scored[] {
    const { width } = this.#table;
    const asked = numbersOf(this.#table.vectorOf(query), width);
    const rows = this.#rows;
    return bestOf(this.#documents, count, (_, at) => {
      let sum = 0;
      for (let place = 0, from = at * width; place < width; place += 1)
        sum += (rows[from + place] ?? 0) * (asked[place] ?? 0);
      return sum;
    });
  }
}

/** How many words of the query stand anywhere in a tool's text. */
export class SubstringScan {
  readonly #documents: readonly SearchDocument[];
  readonly #texts: readonly string[];

  constructor(documents: readonly SearchDocument[]) {
    this.#documents = documents;
    this.#texts = documents.map((document) => textOfTool(document).toLowerCase());
  }

  best(query: string, count: number): Scored[] {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return bestOf(this.#documents, count, (_, at) => {
      const text = this.#texts[at] ?? '';
      let found = 0;
      for (const word of words) if (text.includes(word)) found += 1;
      return found;
    });
  }
}

/** A short list of the best so far; sorting all of them would cost more than the scan. */
function bestOf(
  documents: readonly SearchDocument[],
  count: number,
  scoreOf: (document: SearchDocument, at: number) => number,
): Scored[] {
  const best: Scored[] = [];
  for (const [at, document] of documents.entries()) {
    const score = scoreOf(document, at);
    if (best.length === count && score <= (best.at(-1)?.score ?? 0)) continue;
    best.push({ key: document.key, score });
    best.sort((a, b) => b.score - a.score).splice(count);
  }
  return best;
}

function numbersOf(vector: Vector | null, width: number): Float32Array {
  const { values, scale } = vector ?? { values: new Int8Array(width), scale: 0 };
  return Float32Array.from(values, (value) => value * scale);
}

/** The lines of a text, or the rows of JSON, one after the other from a file of any size. */

import { type JsonSpot, type JsonTreatment, type JsonVisitor, scanJson } from '../base/json-scan.ts';
import type { ByteSource } from './byte-source.ts';
import type { RowsSpan } from './part-facts.ts';

const lineBreak = 0x0a;

interface Line {
  /** From 1. */
  readonly number: number;
  /** Without the break; missing where it is longer than what is kept. */
  readonly text: string | undefined;
}

/** From a place at which the line `first` begins or goes on. A final line break starts no further line. */
export async function* readLines(
  source: ByteSource,
  at: number,
  first: number,
  keepBytes: number,
): AsyncGenerator<Line> {
  let number = first;
  let pieces: Buffer[] = [];
  let bytes = 0;
  const end = (): Line => {
    const line = { number, text: bytes > keepBytes ? undefined : Buffer.concat(pieces).toString() };
    number += 1;
    pieces = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of source.read(at)) {
    let from = 0;
    for (let to = chunk.indexOf(lineBreak); to !== -1; to = chunk.indexOf(lineBreak, from)) {
      bytes += to - from;
      if (bytes <= keepBytes) pieces.push(chunk.subarray(from, to));
      from = to + 1;
      yield end();
    }
    bytes += chunk.length - from;
    if (bytes <= keepBytes) pieces.push(chunk.subarray(from));
  }
  if (bytes > 0) yield end();
}

export interface Row {
  /** From 1. */
  readonly number: number;
  /** Of a member of an object. */
  readonly key: string | undefined;
  /** Its JSON text; missing where it is longer than what is kept. */
  readonly json: string | undefined;
}

interface RowsRequest {
  /** Numbers, both inclusive. */
  readonly from: number;
  readonly to: number;
  readonly keepBytes: number;
  onRow(row: Row): void;
}

export async function readRows(source: ByteSource, rows: RowsSpan, request: RowsRequest): Promise<void> {
  await scanJson(source.read(), new RowReader(rows, request));
}

class RowReader implements JsonVisitor {
  readonly keepBytes: number;
  isDone = false;
  readonly #listAt: number;
  readonly #request: RowsRequest;
  #depth = -1;

  constructor({ start }: RowsSpan, request: RowsRequest) {
    this.#listAt = start - 1;
    this.#request = request;
    this.keepBytes = request.keepBytes;
  }

  onStart(spot: JsonSpot): JsonTreatment {
    if (this.#depth !== -1) return this.#isWanted(spot) ? 'keep' : 'skip';
    if (spot.start !== this.#listAt) return spot.start < this.#listAt ? 'open' : 'skip';
    this.#depth = spot.depth;
    return 'open';
  }

  onEnd(spot: JsonSpot, kept: Buffer | undefined): void {
    if (spot.start === this.#listAt) this.isDone = true;
    if (this.isDone || this.#depth === -1 || !this.#isWanted(spot)) return;
    this.#request.onRow({ number: spot.index + 1, key: spot.key, json: kept?.toString() });
    if (spot.index + 1 >= this.#request.to) this.isDone = true;
  }

  #isWanted({ depth, index }: JsonSpot): boolean {
    return depth === this.#depth + 1 && index + 1 >= this.#request.from && index + 1 <= this.#request.to;
  }
}

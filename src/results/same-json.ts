/** Compares a text with the JSON of a value: many servers send one thing twice, as text and as structured content. */

import { JsonLimitError } from '../base/json.ts';
import { JsonScanner } from '../base/json-scan.ts';
import { LongValue } from './long-value.ts';
import { jsonChunks, piecesOf } from './part-chunks.ts';
import type { LongText } from './plan-parts.ts';
import { compactJson } from './repeated-content.ts';
import { tidyJson } from './tidy-json.ts';

export async function isSameJson(text: LongText, value: unknown): Promise<boolean> {
  if (typeof text === 'string') {
    if (!/^\s*[{[]/.test(text)) return false;
    if (!(value instanceof LongValue)) return compactJson(text) === JSON.stringify(value);
  }
  try {
    return await areEqual(tidyJson(checked(text)), jsonChunks(value));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonLimitError) return false;
    throw error;
  }
}

/** Throws where the text is no JSON: without its white space it might look like some. */
async function* checked(text: LongText): AsyncGenerator<Buffer> {
  const scanner = new JsonScanner({ onStart: () => 'skip', onEnd: () => {} });
  for await (const piece of piecesOf(text)) {
    const bytes = Buffer.from(piece);
    scanner.push(bytes);
    yield bytes;
  }
  scanner.end();
}

/** Stops at the first difference. */
async function areEqual(first: AsyncGenerator<Buffer>, second: AsyncGenerator<Buffer>): Promise<boolean> {
  let [left, right]: Buffer[] = [Buffer.alloc(0), Buffer.alloc(0)];
  try {
    for (;;) {
      left = await refill(left as Buffer, first);
      right = await refill(right as Buffer, second);
      if (left.length === 0 || right.length === 0) return left.length === right.length;
      const length = Math.min(left.length, right.length);
      if (!left.subarray(0, length).equals(right.subarray(0, length))) return false;
      left = left.subarray(length);
      right = right.subarray(length);
      await new Promise(setImmediate);
    }
  } finally {
    await first.return(undefined);
    await second.return(undefined);
  }
}

/** Empty only at the end. */
async function refill(rest: Buffer, chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let bytes = rest;
  while (bytes.length === 0) {
    const next = await chunks.next();
    if (next.done) return bytes;
    bytes = next.value;
  }
  return bytes;
}

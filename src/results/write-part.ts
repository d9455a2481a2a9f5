/** Writes one part of a result to its file, and learns what there is to know of it on the way. */

import { open } from 'node:fs/promises';
import { fileSource } from './byte-source.ts';
import { outlineJson } from './outline-json.ts';
import { NotBase64Error, partChunks } from './part-chunks.ts';
import type { JsonOutline, PartFacts } from './part-facts.ts';
import type { PartContent, PartPlan } from './plan-parts.ts';

/** How much of the beginning is remembered for a preview. */
export const headBytes = 4 * 1_024;
/** Small chunks are put together up to this before they are written. */
const batchBytes = 64 * 1_024;

export interface WrittenPart {
  readonly facts: PartFacts;
  readonly head: string;
}

/** `onGrow` is told of all bytes before they are written, and throws where there are too many. */
export async function writePart(plan: PartPlan, path: string, onGrow: (bytes: number) => void): Promise<WrittenPart> {
  try {
    return await write(plan, plan.content, path, onGrow);
  } catch (error) {
    if (!(error instanceof NotBase64Error) || plan.content.kind !== 'binary') throw error;
    // Nothing is lost: what is no base64 is kept as the text that it is.
    const content: PartContent = { kind: 'text', texts: [plan.content.base64] };
    return write({ ...plan, kind: 'text', mimeType: 'text/plain' }, content, path, onGrow);
  }
}

async function write(
  plan: PartPlan,
  content: PartContent,
  path: string,
  onGrow: (bytes: number) => void,
): Promise<WrittenPart> {
  const meter = new TextMeter();
  const bytes = await writeFile(path, partChunks(content), (chunk) => {
    onGrow(chunk.length);
    if (plan.kind !== 'binary') meter.push(chunk);
  });
  const { name, mimeType, blocks, kind } = plan;
  const json = await outlineOf(plan, path, bytes, meter.head);
  const lines = kind === 'binary' ? null : meter.lines;
  const facts: PartFacts = { kind, name, mimeType, bytes, blocks, lines, longestLine: meter.longestLine, json };
  return { facts, head: kind === 'binary' ? '' : meter.head };
}

/** A text is JSON when all of it is; blocks that were joined are not one. */
async function outlineOf(plan: PartPlan, path: string, bytes: number, head: string): Promise<JsonOutline | null> {
  if (plan.kind === 'binary' || (plan.kind === 'text' && (plan.blocks > 1 || !/^\s*[{[]/.test(head)))) return null;
  try {
    return await outlineJson(fileSource(path, bytes).read());
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && error.name === 'JsonLimitError')) return null;
    throw error;
  }
}

async function writeFile(
  path: string,
  chunks: AsyncIterable<Buffer>,
  onChunk: (chunk: Buffer) => void,
): Promise<number> {
  // A second try replaces what the first has left.
  const file = await open(path, 'w', 0o600);
  let bytes = 0;
  let batch: Buffer[] = [];
  let waiting = 0;
  const flush = async () => {
    if (waiting > 0) await file.writeFile(Buffer.concat(batch));
    batch = [];
    waiting = 0;
  };
  try {
    for await (const chunk of chunks) {
      onChunk(chunk);
      bytes += chunk.length;
      batch.push(chunk);
      waiting += chunk.length;
      if (waiting >= batchBytes) await flush();
    }
    await flush();
    return bytes;
  } finally {
    await file.close();
  }
}

/** Counts lines and remembers the beginning. */
class TextMeter {
  readonly #head: Buffer[] = [];
  #headLeft = headBytes;
  #breaks = 0;
  #longest = 0;
  #lineBytes = 0;

  push(chunk: Buffer): void {
    if (this.#headLeft > 0) {
      const part = Buffer.from(chunk.subarray(0, this.#headLeft));
      this.#head.push(part);
      this.#headLeft -= part.length;
    }
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      this.#breaks += 1;
      this.#longest = Math.max(this.#longest, this.#lineBytes + at - from);
      this.#lineBytes = 0;
      from = at + 1;
    }
    this.#lineBytes += chunk.length - from;
  }

  get lines(): number {
    return this.#lineBytes > 0 ? this.#breaks + 1 : this.#breaks;
  }

  get longestLine(): number {
    return Math.max(this.#longest, this.#lineBytes);
  }

  /** Ends with a whole character. */
  get head(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(this.#head), { stream: true });
  }
}

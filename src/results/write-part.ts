/** Writes one part of a result to its file, and learns what there is to know of it on the way. */

import { fileSource } from './byte-source.ts';
import { outlineJson } from './outline-json.ts';
import { otherForm, partChunks } from './part-chunks.ts';
import type { JsonOutline, PartFacts } from './part-facts.ts';
import type { PartPlan } from './plan-parts.ts';
import { type StorageRoom, writeChunks } from './write-chunks.ts';

export interface WrittenPart {
  readonly facts: PartFacts;
  readonly head: string;
}

/** `headBytes` of its beginning are remembered for a preview. */
export async function writePart(
  plan: PartPlan,
  path: string,
  room: StorageRoom,
  headBytes: number,
): Promise<WrittenPart> {
  try {
    return await write(plan, path, room, headBytes);
  } catch (error) {
    const other = otherForm(plan, error);
    if (!other) throw error;
    return writePart(other, path, room, headBytes);
  }
}

async function write(plan: PartPlan, path: string, room: StorageRoom, headBytes: number): Promise<WrittenPart> {
  const { name, mimeType, blocks, kind, content, isCopy } = plan;
  const meter = new TextMeter(headBytes);
  const bytes = await writeChunks(path, partChunks(content), room, (chunk) => {
    if (kind !== 'binary') meter.push(chunk);
  });
  const json = await outlineOf(plan, path, bytes, meter.head);
  const lines = kind === 'binary' ? null : meter.lines;
  const { longestLine } = meter;
  const facts = { kind, name, mimeType, bytes, blocks, lines, longestLine, json, ...(isCopy && { isCopy }) };
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

/** Counts lines and remembers the beginning. */
class TextMeter {
  readonly #head: Buffer[] = [];
  #headLeft: number;
  #breaks = 0;
  #longest = 0;
  #lineBytes = 0;

  constructor(headBytes: number) {
    this.#headLeft = headBytes;
  }

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

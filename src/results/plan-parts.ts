/** How a result is taken apart: which parts it has, and the frame that is left, in which each part has a reference in its place. */

import { isObject, jsonSize } from '../base/json.ts';
import type { Result } from '../protocol/messages.ts';
import { LongValue } from './long-value.ts';
import type { PartKind } from './part-facts.ts';
import { repeatedContent } from './repeated-content.ts';

export type LongText = string | LongValue;

export type PartContent =
  /** Joined by line breaks. */
  | { readonly kind: 'text'; readonly texts: readonly LongText[] }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'binary'; readonly base64: LongText };

export interface PartPlan {
  readonly kind: PartKind;
  readonly name: string | null;
  readonly mimeType: string;
  readonly blocks: number;
  readonly content: PartContent;
  /** Set where the other parts say the same. */
  readonly isCopy?: true;
}

export interface ResultPlan {
  readonly parts: readonly PartPlan[];
  readonly frame: Result;
}

/** A text block up to this length joins its neighbours in one part. */
const joinedChars = 16 * 1_024;
/** Blocks beyond this many parts are put together into one. */
const maxParts = 200;
/** Members of the result that are larger than this become parts. */
const memberBytes = 4 * 1_024;
/** Structured content that repeats the blocks is a copy of them if it says no more than this beside. */
const besideBytes = 512;

export const jsonType = 'application/json';

/** Stands in the frame for a part, or for a piece of one. */
interface Reference {
  readonly 'toolcrib/part': number;
  readonly at?: number;
  readonly bytes?: number;
}

/** `isSame`: the only content block is the structured content as text, and is kept once. */
export async function planParts(result: Result, isSame: boolean): Promise<ResultPlan> {
  const planner = new Planner();
  const same = isSame ? planner.addValue(result.structuredContent, 'structuredContent', 1) : undefined;
  const frame: [string, unknown][] = [];
  for (const [name, value] of Object.entries(result)) {
    const isPart = value instanceof LongValue || jsonSize(value, memberBytes) > memberBytes;
    if (same && name === 'structuredContent') frame.push([name, same]);
    else if (name === 'content' && Array.isArray(value))
      frame.push([name, same ? [{ ...value[0], text: same }] : await planner.addBlocks(value)]);
    else if (name === 'structuredContent') frame.push([name, planner.addValue(value, name, 0, isCopyIn(result))]);
    else frame.push([name, isPart ? planner.addValue(value, name, 0) : value]);
  }
  return { parts: planner.finish(), frame: Object.fromEntries(frame) };
}

function isCopyIn(result: Result): boolean {
  const repeated = repeatedContent(result);
  if (repeated === undefined) return false;
  return jsonSize(result.structuredContent) - jsonSize(repeated) <= besideBytes;
}

/** The text of the only content block, where there is exactly one and it is a text. */
export function onlyText(result: Result): LongText | undefined {
  const [block, ...others] = Array.isArray(result.content) ? result.content : [];
  if (others.length > 0 || !isObject(block) || block.type !== 'text' || holdsLong(block, 'text')) return undefined;
  return longText(block.text);
}

class Planner {
  readonly #parts: (PartPlan & { readonly isOpen: boolean })[] = [];
  /** The texts or blocks of the last part while more may join it. */
  #texts: string[] = [];
  #textBytes = 0;
  #blocks: unknown[] = [];

  finish(): readonly PartPlan[] {
    return this.#parts.map(({ isOpen: _, ...part }) => part);
  }

  async addBlocks(blocks: readonly unknown[]): Promise<unknown[]> {
    const framed: unknown[] = [];
    for await (const some of inTurns(blocks)) for (const block of some) framed.push(this.#addBlock(block));
    return framed;
  }

  addValue(value: unknown, name: string, blocks: number, isCopy = false): Reference {
    if (value instanceof LongValue && value.kind === 'string')
      return this.#add({ kind: 'text', texts: [value] }, name, 'text/plain', blocks);
    return this.#add({ kind: 'json', value }, name, jsonType, blocks, { isCopy });
  }

  #addBlock(block: unknown): unknown {
    if (this.#parts.length >= maxParts) return this.#join(block);
    if (!isObject(block) || block instanceof LongValue) return this.#join(block);
    if (block.type === 'text') return this.#addText(block);
    if (block.type === 'image' || block.type === 'audio') return this.#addMember(block, 'data', block.mimeType, null);
    const { resource } = block;
    const isEmbedded = block.type === 'resource' && isObject(resource) && !(resource instanceof LongValue);
    if (!isEmbedded || holdsLong(block, 'resource')) return this.#join(block);
    const member = longText(resource.blob) === undefined ? 'text' : 'blob';
    const name = typeof resource.uri === 'string' ? resource.uri : null;
    return { ...block, resource: this.#addMember(resource, member, resource.mimeType, name) };
  }

  #addText(block: Record<string, unknown>): unknown {
    const text = longText(block.text);
    if (text === undefined || holdsLong(block, 'text')) return this.#join(block);
    // Half a character can be written in JSON alone, which such a part becomes; others cannot join it.
    if (text instanceof LongValue || text.length > joinedChars || !text.isWellFormed())
      return { ...block, text: this.#add({ kind: 'text', texts: [text] }, null, 'text/plain', 1) };
    const last = this.#parts.at(-1);
    const joins = last?.isOpen === true && last.kind === 'text';
    if (!joins) {
      this.#texts = [];
      this.#textBytes = 0;
    }
    const at = joins ? this.#textBytes + 1 : 0;
    const bytes = Buffer.byteLength(text);
    this.#texts.push(text);
    this.#textBytes = at + bytes;
    if (joins) this.#grow();
    else this.#add({ kind: 'text', texts: this.#texts }, null, 'text/plain', 1, { isOpen: true });
    return { ...block, text: { 'toolcrib/part': this.#parts.length, at, bytes } };
  }

  /** An image, a sound, or what a resource holds. */
  #addMember(holder: Record<string, unknown>, member: string, mimeType: unknown, name: string | null): unknown {
    const value = longText(holder[member]);
    if (value === undefined || holdsLong(holder, member)) return this.#join(holder);
    const content: PartContent =
      member === 'text' ? { kind: 'text', texts: [value] } : { kind: 'binary', base64: value };
    const usual = member === 'text' ? 'text/plain' : 'application/octet-stream';
    const type = typeof mimeType === 'string' ? mimeType : usual;
    return { ...holder, [member]: this.#add(content, name, type, 1) };
  }

  /** Links, blocks of kinds that we do not know, and what is too much: one after the other in a list. */
  #join(block: unknown): Reference & { readonly index: number } {
    const last = this.#parts.at(-1);
    if (last?.isOpen && last.kind === 'json') {
      this.#blocks.push(block);
      this.#grow();
    } else {
      this.#blocks = [block];
      this.#add({ kind: 'json', value: this.#blocks }, 'content', jsonType, 1, { isOpen: true });
    }
    return { 'toolcrib/part': this.#parts.length, index: this.#blocks.length - 1 };
  }

  #grow(): void {
    const last = this.#parts.pop();
    if (last) this.#parts.push({ ...last, blocks: last.blocks + 1 });
  }

  #add(
    content: PartContent,
    name: string | null,
    mimeType: string,
    blocks: number,
    { isOpen = false, isCopy = false } = {},
  ): Reference {
    const { kind } = content;
    this.#parts.push({ kind, name, mimeType, blocks, content, isOpen, ...(isCopy && { isCopy }) });
    return { 'toolcrib/part': this.#parts.length };
  }
}

function longText(value: unknown): LongText | undefined {
  if (typeof value === 'string') return value;
  return value instanceof LongValue && value.kind === 'string' ? value : undefined;
}

/** True if another member, or something in it, is on disk. */
function holdsLong(holder: Record<string, unknown>, except: string): boolean {
  return Object.entries(holder).some(([name, value]) => name !== except && isLong(value));
}

function isLong(value: unknown): boolean {
  if (value instanceof LongValue) return true;
  // A resource is opened in blocks of every kind.
  return isObject(value) && Object.values(value).some((member) => member instanceof LongValue);
}

/** Items that are taken at a time: together they cost about a millisecond. */
const turn = 250;

/** The items, some at a time; other work goes first in between. */
export async function* inTurns<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < items.length; at += turn) {
    if (at > 0) await new Promise(setImmediate);
    yield items.slice(at, at + turn);
  }
}

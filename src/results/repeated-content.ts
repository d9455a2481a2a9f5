/** Finds structured content that repeats the blocks: many servers send everything twice. */

import { isDeepStrictEqual } from 'node:util';
import { isObject, parseJson } from '../base/json.ts';
import type { Result } from '../protocol/messages.ts';

/**
 * The structured content, or the member of it, that says what the blocks say: the JSON that is their text, the text itself
 * (`{ "content": "…" }`), the blocks, or a list with one item a block. Undefined where there is none.
 */
export function repeatedContent({ content, structuredContent }: Result): unknown {
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const blocks = content.map(readBlock);
  const members = isObject(structuredContent) ? Object.values(structuredContent) : [];
  return [structuredContent, ...members].find((value) => isRepeated(blocks, value));
}

interface ReadBlock {
  readonly block: unknown;
  readonly text: string | undefined;
  /** The text without white space, where it is JSON. */
  readonly json: string | undefined;
}

function readBlock(block: unknown): ReadBlock {
  const text = isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : undefined;
  return { block, text, json: text === undefined ? undefined : compactJson(text) };
}

function isRepeated(blocks: readonly ReadBlock[], value: unknown): boolean {
  const [first, ...others] = blocks;
  if (first && others.length === 0 && saysSame(first, value)) return true;
  if (!Array.isArray(value) || value.length !== blocks.length) return false;
  return blocks.every((block, at) => saysSame(block, value[at]));
}

function saysSame({ block, text, json }: ReadBlock, value: unknown): boolean {
  if (typeof value === 'string') return value === text;
  if (typeof value !== 'object' || value === null) return false;
  return (json !== undefined && json === JSON.stringify(value)) || isDeepStrictEqual(block, value);
}

/** Undefined for a text that is no JSON object or list. */
export function compactJson(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.stringify(parseJson(text));
  } catch {
    return undefined;
  }
}

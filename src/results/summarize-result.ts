/** Describes a result that is not kept anywhere: its parts and how they begin. */

import type { Result } from '../protocol/messages.ts';
import { hasLongValues } from './long-value.ts';
import { outlineJson } from './outline-json.ts';
import { otherForm, partChunks, sentBytes } from './part-chunks.ts';
import type { JsonOutline, PartFacts, ResultSummary } from './part-facts.ts';
import { type PartPlan, planParts } from './plan-parts.ts';
import type { WrittenPart } from './write-part.ts';

/** `headBytes` of each part are read. Never throws: of what cannot be read the beginning is missing. */
export async function summarizeResult(result: Result, headBytes: number): Promise<ResultSummary> {
  const { parts } = await planParts(result, false);
  const isLong = hasLongValues(result);
  const facts: PartFacts[] = [];
  const heads: string[] = [];
  for (const part of parts) {
    const seen = await look(part, isLong, headBytes);
    facts.push(seen.facts);
    heads.push(seen.head);
  }
  return { bytes: await sentBytes(result), parts: facts, heads };
}

async function look(part: PartPlan, isLong: boolean, headBytes: number): Promise<WrittenPart> {
  const { kind, name, mimeType, blocks, isCopy } = part;
  let bytes = 0;
  let head = '';
  let breaks = 0;
  try {
    for await (const chunk of partChunks(part.content)) {
      if (bytes < headBytes && kind !== 'binary') head += chunk.toString('utf8', 0, headBytes - bytes);
      bytes += chunk.length;
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) breaks += 1;
    }
  } catch (error) {
    const other = otherForm(part, error);
    if (other) return look(other, isLong, headBytes);
    // The file with the rest cannot be read: report what was seen so far.
  }
  const json = isLong || kind === 'binary' ? null : await outline(part);
  const lines = kind === 'binary' ? null : breaks + 1;
  const facts = { kind, name, mimeType, bytes, blocks, lines, longestLine: bytes, json, ...(isCopy && { isCopy }) };
  return { facts, head: tidyEnd(head) };
}

async function outline(part: PartPlan): Promise<JsonOutline | null> {
  if (part.kind === 'text' && part.blocks > 1) return null;
  // Most texts are not JSON, which shows at their first character.
  return outlineJson(partChunks(part.content)).catch(() => null);
}

/** A character that was cut in two stands as a replacement at the end. */
function tidyEnd(head: string): string {
  return head.replace(/\ufffd+$/, '');
}

/** Pictures and sound in a program's result: an agent looks at them, so they go beside the JSON and not as text into it. */

import { isObject } from '../base/json.ts';
import { limits } from '../config/config.ts';
import type { ChainEnd } from './run-chain.ts';

/** A result without any of these words holds no picture and is not looked through. */
const marks = ['"data"', '"mimeType"'];
/** Levels of the result that are looked through. */
const deepest = 20;

export interface ShownMedia {
  readonly end: ChainEnd;
  /** Content blocks, in the order of their numbers in the result. */
  readonly blocks: readonly unknown[];
}

/** As many as are shown of any result; those beyond stay where they are, under the rule for what is large. */
export function showMedia(end: ChainEnd): ShownMedia {
  const { resultJson } = end.report;
  if (resultJson === undefined || !marks.every((mark) => resultJson.includes(mark))) return { end, blocks: [] };
  const blocks: unknown[] = [];
  let room: number = limits.shownMediaBytes;
  const without = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null || depth > deepest) return value;
    if (Array.isArray(value)) return value.map((item) => without(item, depth + 1));
    if (isObject(value) && isMedia(value) && value.data.length <= room) {
      room -= value.data.length;
      const { type, data, mimeType } = value;
      blocks.push({ type, data, mimeType });
      return { ...value, data: `shown beside this JSON, as number ${blocks.length}` };
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, without(member, depth + 1)]));
  };
  const shown = without(JSON.parse(resultJson), 0);
  if (blocks.length === 0) return { end, blocks };
  return { end: { ...end, report: { ...end.report, resultJson: JSON.stringify(shown) } }, blocks };
}

function isMedia(value: Record<string, unknown>): value is Record<'type' | 'data' | 'mimeType', string> {
  const { type, data, mimeType } = value;
  return (type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string';
}

/** Pictures and sound: an agent looks at them instead of reading them, so they stay in a result up to a size of their own. */

import { isObject } from '../base/json.ts';
import { limits } from '../config/config.ts';
import type { Result } from '../protocol/messages.ts';
import { LongValue } from './long-value.ts';

/** The blocks that stay as they are: in their order, as many as fit. */
export function mediaOf({ content }: Result): ReadonlySet<unknown> {
  const media = new Set<unknown>();
  let room: number = limits.shownMediaBytes;
  for (const block of Array.isArray(content) ? content : []) {
    const size = mediaSize(block);
    if (size === undefined || size > room) continue;
    room -= size;
    media.add(block);
  }
  return media;
}

/** The result without them. */
export function withoutMedia(result: Result, media: ReadonlySet<unknown>): Result {
  if (media.size === 0 || !Array.isArray(result.content)) return result;
  return { ...result, content: result.content.filter((block) => !media.has(block)) };
}

/** The blocks themselves, in memory. */
export async function loadMedia(media: ReadonlySet<unknown>): Promise<unknown[]> {
  return Promise.all([...media].map(loadBlock));
}

async function loadBlock(block: unknown): Promise<unknown> {
  return isObject(block) && block.data instanceof LongValue ? { ...block, data: await block.data.load() } : block;
}

/** Undefined for everything else. */
function mediaSize(block: unknown): number | undefined {
  if (!isObject(block) || (block.type !== 'image' && block.type !== 'audio')) return undefined;
  const { data } = block;
  if (data instanceof LongValue) return data.bytes;
  return typeof data === 'string' ? data.length : undefined;
}

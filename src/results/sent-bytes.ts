/** How large a result is as its server sent it: the size that an agent is told. */

import { jsonSize } from '../base/json-size.ts';
import type { Result } from '../protocol/messages.ts';
import { inTurns } from './in-turns.ts';
import { longBytes } from './long-value.ts';

/** Bytes of its JSON, white space aside; each long value may be counted with a few too many. */
export async function sentBytes(result: Result): Promise<number> {
  const { content, ...others } = result;
  let bytes = jsonSize(others) + longBytes(others);
  if (content === undefined) return bytes;
  bytes += '"content":,'.length;
  if (!Array.isArray(content)) return bytes + jsonSize(content) + longBytes({ content });
  for await (const some of inTurns(content)) bytes += jsonSize(some) - 2 + longBytes({ content: some });
  return bytes + 2;
}

/** Values that programs keep: stored for their principal alone, and read like any large result. */

import type { Principal } from '../access/access.ts';
import type { Result } from '../protocol/messages.ts';
import type { StoredResults } from '../results/results.ts';

/** The tool that they are said to come from. */
export const chainKey = 'toolcrib:call_tool_chain';

export interface KeptValue {
  readonly name?: string | undefined;
  readonly uri: string;
  readonly bytes: number;
}

/** A text is kept as such, so that it is read by its lines. */
export function keepValue(results: Pick<StoredResults, 'keep'>, principal: Principal, value: unknown) {
  return results.keep(resultOf(value), { principal: principal.id, toolKey: chainKey });
}

export function resultOf(value: unknown): Result {
  return typeof value === 'string' ? { content: [{ type: 'text', text: value }] } : { structuredContent: value };
}

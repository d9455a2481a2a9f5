/** The tools beside which a sample of the corpus is judged. */

import type { Neighbours } from '../../src/trust/trust.ts';
import type { Sample } from './read-corpus.ts';

/** The names that our own tools are listed under. */
const ownNames: ReadonlySet<string> = new Set([
  'tool_discovery',
  'tool_execute',
  'tool_capabilities',
  'tool_info',
  'call_tool_chain',
  'list_tools_meta',
  'recommend_tools',
  'get_tool_alternatives',
  'get_tool_metrics',
  'reset_tool_metrics',
  'list_mcp_servers',
  'read_result',
]);

type Beside = Pick<Sample, 'server'> & { readonly others?: Sample['others'] | undefined };

export function neighboursOfSample({ server, others = {} }: Beside): Neighbours {
  const sets = Object.entries(others).map(([name, tools]) => [name, new Set(tools)] as const);
  return { server, ownNames, others: new Map(sets) };
}

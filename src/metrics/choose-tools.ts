/** Picks the tools that a question is about: the most used, the most reliable or the failing ones. */

import type { Tally, ToolTally } from '../store/store.ts';
import { successRateOf } from './figures-of.ts';

export interface ToolQuery {
  readonly server?: string | undefined;
  /** The server's own name for it. */
  readonly tool?: string | undefined;
  /** At most so many. */
  readonly top?: number | undefined;
  readonly minCalls?: number | undefined;
  /** Only tools that succeed less often than this, the worst first. */
  readonly failingBelow?: number | undefined;
  /** What `top` means; by calls unless something is asked for. */
  readonly by?: 'calls' | 'reliability' | undefined;
}

export function chooseTools(tools: Iterable<ToolTally>, query: ToolQuery): ToolTally[] {
  const chosen: ToolTally[] = [];
  for (const tool of tools) if (fits(tool, query)) chosen.push(tool);
  return chosen.sort(orderOf(query)).slice(0, query.top);
}

function fits({ server, tool, tally }: ToolTally, query: ToolQuery): boolean {
  if (server !== (query.server ?? server) || tool !== (query.tool ?? tool)) return false;
  if (tally.count < (query.minCalls ?? 0)) return false;
  if (query.failingBelow === undefined) return query.by !== 'reliability' || tally.judged > 0;
  return (successRateOf(tally) ?? 1) < query.failingBelow;
}

function orderOf({ failingBelow, by }: ToolQuery): (a: ToolTally, b: ToolTally) => number {
  const byCalls = (a: ToolTally, b: ToolTally) => b.tally.count - a.tally.count;
  if (failingBelow !== undefined)
    return (a, b) => (successRateOf(a.tally) ?? 1) - (successRateOf(b.tally) ?? 1) || byCalls(a, b);
  if (by === 'reliability') return (a, b) => reliabilityOf(b.tally) - reliabilityOf(a.tally) || byCalls(a, b);
  return byCalls;
}

/** As if every tool had failed once and succeeded once before: a hundred good calls are worth more than one. */
function reliabilityOf(tally: Tally): number {
  return (tally.outcomes.ok + 1) / (tally.judged + 2);
}

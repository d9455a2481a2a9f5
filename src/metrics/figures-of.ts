/** From the sum of calls to the figures that people and other layers read. */

import { type DayTally, Tally, type ToolTally, toolKeyOf } from '../store/store.ts';
import type { CallFigures, DayMetrics, ToolMetrics } from './call-record.ts';

const dayMs = 24 * 60 * 60 * 1_000;

export function toolMetricsOf({ server, tool, tally }: ToolTally): ToolMetrics {
  return {
    toolKey: toolKeyOf({ server, tool }),
    server,
    tool,
    ...countsOf(tally),
    lastCalledAt: tally.calledAt,
    lastOkAt: tally.okAt,
    lastError: tally.error,
    failuresInARow: tally.failuresInARow,
  };
}

export function dayMetricsOf({ day, tally }: DayTally): DayMetrics {
  return { day: new Date(day * dayMs).toISOString().slice(0, 10), ...countsOf(tally) };
}

/** The figures of many sums together. */
export function sumFigures(tallies: readonly Tally[]): CallFigures {
  const sum = new Tally();
  for (const tally of tallies) sum.merge(tally);
  return countsOf(sum);
}

/** null before the first call that says something about the tool. */
function successRateOf(tally: Tally): number | null {
  return tally.judged === 0 ? null : tally.outcomes.ok / tally.judged;
}

function countsOf(tally: Tally) {
  const { latency, sumMicros } = tally;
  return {
    callCount: tally.count,
    // A copy: the figures are those of this moment.
    outcomes: { ...tally.outcomes },
    successRate: successRateOf(tally),
    avgLatencyMs: latency.count === 0 ? null : toMs(sumMicros / latency.count),
    p50Ms: toMs(latency.quantile(0.5)),
    p95Ms: toMs(latency.quantile(0.95)),
    p99Ms: toMs(latency.quantile(0.99)),
    cachedCount: tally.cached,
  };
}

function toMs(micros: number): number;
function toMs(micros: number | null): number | null;
function toMs(micros: number | null): number | null {
  return micros === null ? null : Math.round(micros) / 1_000;
}

export interface ToolQuery {
  readonly server?: string | undefined;
  /** The server's own name for it. */
  readonly tool?: string | undefined;
  /** At most so many. */
  readonly top?: number | undefined;
  readonly minCalls?: number | undefined;
  /** Only tools that succeed less often than this, the worst first. */
  readonly failingBelow?: number | undefined;
  /** The order of `top`: by calls unless something else is asked for. */
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

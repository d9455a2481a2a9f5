/** From the sum of calls to the figures that people and other layers read. */

import { type DayTally, Tally, type ToolTally, toolKeyOf } from '../store/store.ts';
import { type CallFigures, type DayMetrics, outcomeKinds, type ToolMetrics } from './call-record.ts';

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
  for (const { outcomes, cached, sumMicros, latency } of tallies) {
    for (const kind of outcomeKinds) sum.outcomes[kind] += outcomes[kind];
    sum.cached += cached;
    sum.sumMicros += sumMicros;
    sum.latency.merge(latency);
  }
  return countsOf(sum);
}

/** null before the first call that says something about the tool. */
export function successRateOf(tally: Tally): number | null {
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

/** Facts about calls: the record of one, and the figures of many. */

import type { OutcomeKind } from '../store/store.ts';

export { type CallRecord, type OutcomeKind, outcomeKinds } from '../store/store.ts';

/** How a number of calls went. */
export interface CallFigures {
  readonly callCount: number;
  readonly outcomes: Readonly<Record<OutcomeKind, number>>;
  /** ok / (ok + tool + server + timeout); null before the first of those. */
  readonly successRate: number | null;
  /** This and the percentiles are of calls that reached the server and were not cached: ok and tool. */
  readonly avgLatencyMs: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly cachedCount: number;
}

/** Those of one tool, since ever. */
export interface ToolMetrics extends CallFigures {
  readonly toolKey: string;
  readonly server: string;
  readonly tool: string;
  readonly lastCalledAt: number | null;
  /** An answer from the cache does not count. */
  readonly lastOkAt: number | null;
  /** The last failure that the tool or its server is to blame for. */
  readonly lastError: LastError | null;
  /** Blamed failures (tool, server, timeout) since the last success. */
  readonly failuresInARow: number;
}

export interface LastError {
  readonly at: number;
  readonly errorType: string | null;
  readonly message: string;
}

/** Those of one day (UTC): of one tool, of one server or of all. */
export interface DayMetrics extends CallFigures {
  /** `2026-08-31`. */
  readonly day: string;
}

/** Those of one step of time: of one tool, of one server or of all. */
export interface StepMetrics extends CallFigures {
  /** ISO 8601, in UTC. */
  readonly start: string;
}

export interface SeriesMetrics {
  /** The oldest first, also those without calls; the last one is still going on. */
  readonly steps: readonly StepMetrics[];
  /** False: there were more calls than are looked at, and the first steps lack some. */
  readonly isComplete: boolean;
}

/** How the calls of one minute ended. */
export interface MinuteMetrics extends Pick<StepMetrics, 'start' | 'callCount' | 'outcomes'> {}

/** "After `before`, usually `after`": `share` is the part of everything that succeeded right after `before`. */
export interface SequenceMetrics {
  readonly before: string;
  readonly after: string;
  readonly count: number;
  readonly share: number;
}

/** A tool that was executed after a query. */
export interface QueryMetrics {
  readonly query: string;
  readonly toolKey: string;
  readonly count: number;
  readonly ok: number;
}

/** How often an alternative that was suggested for a failed tool was called, and how often that worked. */
export interface SuggestionMetrics {
  readonly failed: string;
  readonly suggested: string;
  readonly taken: number;
  readonly worked: number;
}

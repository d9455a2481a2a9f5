/** The sum of many calls: how they ended, how long they took, and what was last. */

import { type CallRecord, type OutcomeKind, outcomeKinds } from './call.ts';
import { Histogram } from './histogram.ts';

/** A call that is said to have taken longer counts as this: about 11 days. */
const longestMs = 1_000_000_000;
const dayMs = 24 * 60 * 60 * 1_000;

interface TallyError {
  readonly at: number;
  readonly errorType: string | null;
  readonly message: string;
}

/** Only such a call says how long its tool takes: others were refused, gave up, or came from the cache. */
export function reachedTool({ isCached, outcome }: CallRecord): boolean {
  return !isCached && (outcome === 'ok' || outcome === 'tool');
}

/** Calls are added in the order in which they were written down, whatever their times say. */
export class Tally {
  readonly outcomes: Record<OutcomeKind, number> = {
    ok: 0,
    arguments: 0,
    tool: 0,
    server: 0,
    timeout: 0,
    cancelled: 0,
    refused: 0,
  };
  cached = 0;
  /** Whole microseconds, so that it is the same in whatever order calls are added. */
  sumMicros = 0;
  /** Of calls that reached the server: what came from the cache or was never sent says nothing about it. */
  latency = new Histogram();
  calledAt: number | null = null;
  okAt: number | null = null;
  error: TallyError | null = null;
  /** Failures that the tool or its server is to blame for, since the last success. */
  failuresInARow = 0;

  get count(): number {
    const { ok, arguments: wrong, tool, server, timeout, cancelled, refused } = this.outcomes;
    return ok + wrong + tool + server + timeout + cancelled + refused;
  }

  /** How many of the calls say something about the tool. */
  get judged(): number {
    return this.outcomes.ok + this.outcomes.tool + this.outcomes.server + this.outcomes.timeout;
  }

  add(call: CallRecord): void {
    const { outcome, at } = call;
    this.outcomes[outcome] += 1;
    this.calledAt = at;
    if (call.isCached) {
      this.cached += 1;
      return;
    }
    if (reachedTool(call)) {
      const micros = microsOf(call.ms);
      this.sumMicros += micros;
      this.latency.add(micros);
    }
    if (outcome === 'ok') {
      this.okAt = at;
      this.failuresInARow = 0;
    } else if (isBlamed(outcome)) {
      this.failuresInARow += 1;
      this.error = { at, errorType: call.errorType, message: call.error ?? '' };
    }
  }

  /** Adds the sum of calls that were written down later. */
  merge(later: Tally): void {
    for (const kind of outcomeKinds) this.outcomes[kind] += later.outcomes[kind];
    this.cached += later.cached;
    this.sumMicros += later.sumMicros;
    this.latency.merge(later.latency);
    this.calledAt = later.calledAt ?? this.calledAt;
    this.failuresInARow = later.failuresInARow + (later.okAt === null ? this.failuresInARow : 0);
    this.okAt = later.okAt ?? this.okAt;
    this.error = later.error ?? this.error;
  }
}

export function microsOf(ms: number): number {
  return ms > 0 ? Math.round(Math.min(ms, longestMs) * 1_000) : 0;
}

/** Days since 1970, in UTC. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

function isBlamed(outcome: OutcomeKind): boolean {
  return outcome === 'tool' || outcome === 'server' || outcome === 'timeout';
}

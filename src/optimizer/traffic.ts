/** The use of each tool by agents, read from recorded calls: how they ended, and which other tool was then called for the same query. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { QueryMetrics } from '../metrics/metrics.ts';
import { type CallRecord, toolKeyOf } from '../store/store.ts';

/** Newest calls that are read at once. */
export const mostCallsRead = 20_000;
/** Sessions whose last call is remembered; those unused for longest are forgotten. */
const mostSessions = 1_000;

/** Figures of one tool that its description has a part in. */
export interface LiveFigures {
  /** Calls that succeeded, had wrong arguments, or were refused by the tool; a server that is down says nothing here. */
  readonly calls: number;
  readonly ok: number;
  /** Calls found by a query and followed by another call of the session. */
  readonly followed: number;
  /** Of these, those after which another tool was called for the same query. */
  readonly confused: number;
}

export interface ToolTraffic extends LiveFigures {
  readonly argumentErrors: number;
  /** How often each other tool was called next for the same query, by its key. */
  readonly thenCalled: ReadonlyMap<string, number>;
}

export const noFigures: LiveFigures = { calls: 0, ok: 0, followed: 0, confused: 0 };

type Noted = Pick<CallRecord, 'server' | 'tool' | 'outcome' | 'way' | 'session' | 'query'>;

/** True for calls whose end can be due to the description. At the plain door agents read the server's own. */
export function isTelling({ outcome, way }: Noted): boolean {
  return way !== 'plain' && (outcome === 'ok' || outcome === 'arguments' || outcome === 'tool');
}

/** A call and the next one of its session. */
interface Succession {
  readonly first: Noted;
  readonly isConfused: boolean;
}

/** Pairs each call of a query with the next call of its session. */
export class Successions {
  readonly #last = new Map<string, Noted>();

  /** The succession that this call ends, if any. `isFirst` false: nobody needs to know what follows this call. */
  take(call: Noted, isFirst = true): Succession | undefined {
    const first = this.#last.get(call.session);
    this.#last.delete(call.session);
    if (isFirst && call.query !== null) this.#last.set(call.session, call);
    const [oldest] = this.#last.keys();
    if (oldest !== undefined && this.#last.size > mostSessions) this.#last.delete(oldest);
    if (!first) return undefined;
    return { first, isConfused: call.query === first.query && toolKeyOf(call) !== toolKeyOf(first) };
  }
}

/** By toolKey, of calls in their order. */
export function trafficIn(calls: readonly Noted[]): ReadonlyMap<string, ToolTraffic> {
  const traffic = new Map<string, Counts>();
  const successions = new Successions();
  const countsOf = (call: Noted): Counts => {
    const key = toolKeyOf(call);
    const counts = traffic.get(key) ?? { ...noFigures, argumentErrors: 0, thenCalled: new Map() };
    traffic.set(key, counts);
    return counts;
  };
  for (const call of calls) {
    if (!isTelling(call)) continue;
    const counts = countsOf(call);
    counts.calls += 1;
    if (call.outcome === 'ok') counts.ok += 1;
    if (call.outcome === 'arguments') counts.argumentErrors += 1;
    const ended = successions.take(call);
    if (!ended) continue;
    const before = countsOf(ended.first);
    before.followed += 1;
    if (!ended.isConfused) continue;
    before.confused += 1;
    before.thenCalled.set(toolKeyOf(call), (before.thenCalled.get(toolKeyOf(call)) ?? 0) + 1);
  }
  return traffic;
}

type Counts = { -readonly [Figure in Exclude<keyof ToolTraffic, 'thenCalled'>]: number } & {
  readonly thenCalled: Map<string, number>;
};

/** How often each tool stood before the one that was called for a query: it was found and not taken. By toolKey. */
export async function countNotTaken(
  queries: readonly Pick<QueryMetrics, 'query' | 'toolKey' | 'count'>[],
  rank: (query: string) => Promise<readonly string[]>,
): Promise<ReadonlyMap<string, number>> {
  const notTaken = new Map<string, number>();
  for (const [query, calls] of Map.groupBy(queries, (one) => one.query)) {
    const taken = new Set(calls.map(({ toolKey }) => toolKey));
    await giveWay();
    const ranked = await rank(query);
    const first = ranked.findIndex((key) => taken.has(key));
    const times = calls.reduce((sum, { count }) => sum + count, 0);
    for (const key of ranked.slice(0, Math.max(0, first))) notTaken.set(key, (notTaken.get(key) ?? 0) + times);
  }
  return notTaken;
}

/** Calls of many kinds, and every answer that a store gives about them, for comparison. */

import {
  type CallRecord,
  type CallScope,
  dayOf,
  outcomeKinds,
  type Store,
  Tally,
  toolKeyOf,
} from '../../src/store/store.ts';
import { madeUpCall } from './made-up-call.ts';

export const dayMs = 24 * 60 * 60 * 1_000;
export const noon = Date.UTC(2026, 5, 15, 12);
/** Nothing is old enough to be removed. */
export const order = { now: noon, expireBefore: 0 };

export function call(more: Partial<CallRecord> = {}): CallRecord {
  return madeUpCall({ at: noon, ms: 12.345, ...more });
}

/** Of several tools, servers and days, with every outcome and every kind of pair. */
export function manyCalls(count: number): CallRecord[] {
  return Array.from({ length: count }, (_, at) => {
    const outcome = outcomeKinds[at % 17] ?? 'ok';
    return call({
      at: noon - ((at * 7) % 5) * dayMs,
      server: `server-${at % 3}`,
      tool: `tool-${(at * 13) % 40}`,
      outcome,
      error: outcome === 'ok' ? null : `Failure ${at}.`,
      ms: (at * 31) % 5_000,
      isCached: at % 11 === 0,
      previous: at % 2 === 0 ? `server-0:tool-${at % 9}` : null,
      query: at % 4 === 0 ? `query ${at % 50}` : null,
      suggestedFor: at % 29 === 0 ? 'server-1:tool-1' : null,
    });
  });
}

export function isIn(scope: CallScope, { server, tool }: CallRecord): boolean {
  return (scope.server ?? server) === server && (scope.tool ?? tool) === tool;
}

/** The call as if those that were forgotten had never come before it. */
export function withoutLeads(scope: CallScope, one: CallRecord): CallRecord {
  const isMeant = (key: string | null) => {
    if (key === null) return false;
    const at = key.indexOf(':');
    return isIn(scope, call({ server: key.slice(0, at), tool: key.slice(at + 1) }));
  };
  return {
    ...one,
    previous: isMeant(one.previous) ? null : one.previous,
    suggestedFor: isMeant(one.suggestedFor) ? null : one.suggestedFor,
  };
}

type Everything = Readonly<Record<string, unknown>>;

/** Every answer that the store gives about calls, in a form that can be compared. */
export async function everything(store: Store): Promise<Everything> {
  const { tools } = await store.listCallTallies(100_000);
  const days = await store.listCallDays({}, 0);
  const found: Record<string, unknown> = {};
  for (const tool of tools) found[`tool ${toolKeyOf(tool)}`] = facts(tool.tally);
  for (const { day, tally } of days) found[`day ${day}`] = counts(tally);
  for (const kind of ['sequence', 'query', 'suggestion'] as const) {
    for (const pair of await store.listCallPairs(kind, {}))
      found[`${kind} ${pair.first} ${toolKeyOf(pair)}`] = [pair.count, pair.ok];
  }
  return sorted(found);
}

/** The expected `everything` after exactly these calls, computed without a store. */
export function expected(calls: readonly CallRecord[]): Everything {
  const found: Record<string, unknown> = {};
  const groups = (keyOf: (one: CallRecord) => string) => Object.entries(Object.groupBy(calls, keyOf));
  for (const [key, group] of groups((one) => `tool ${toolKeyOf(one)}`)) found[key] = facts(sumOf(group ?? []));
  for (const [key, group] of groups((one) => `day ${dayOf(one.at)}`)) found[key] = counts(sumOf(group ?? []));
  const pair = (kind: string, first: string | null, one: CallRecord) => {
    if (first === null) return;
    const key = `${kind} ${first} ${toolKeyOf(one)}`;
    const [count, ok] = (found[key] as [number, number] | undefined) ?? [0, 0];
    found[key] = [count + 1, ok + (one.outcome === 'ok' ? 1 : 0)];
  };
  for (const one of calls) {
    if (one.outcome === 'ok') pair('sequence', one.previous, one);
    pair('query', one.query, one);
    pair('suggestion', one.suggestedFor, one);
  }
  return sorted(found);
}

function sumOf(calls: readonly CallRecord[]): Tally {
  const tally = new Tally();
  for (const one of calls) tally.add(one);
  return tally;
}

function counts({ outcomes, cached, sumMicros, latency }: Tally): unknown {
  return { outcomes: { ...outcomes }, cached, sumMicros, latency: [...latency.encode()] };
}

function facts(tally: Tally): unknown {
  const { calledAt, okAt, error, failuresInARow } = tally;
  return { ...Object(counts(tally)), calledAt, okAt, error, failuresInARow };
}

function sorted(found: Record<string, unknown>): Everything {
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

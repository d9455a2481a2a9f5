/** Which records are given up where too many wait for a store that refuses: nobody is to wash away traces with what costs nothing. */

import type { AuditKind, AuditRecord } from './audit/audit.ts';
import type { CallRecord } from './call/call.ts';

/** What is committed together: a call with its event, or an event of something else. */
export interface NewRecord {
  readonly call?: CallRecord | undefined;
  readonly event?: AuditRecord | undefined;
}

interface Candidate<T> {
  readonly item: T;
  /** Whether somebody only looked around, which costs nothing and says least. */
  readonly isCheap: boolean;
  /** Which one of its principal it is, among those that are as cheap: the greatest is the newest of who has most. */
  readonly turn: number;
}

/**
 * First what is cheap, then the rest, and of both always the newest of the principal that has most: whoever causes a flood
 * loses the flood, and neither what was done before it nor the records of others. `items` in their order.
 */
export function chooseDropped<T extends { readonly record: NewRecord }>(items: readonly T[], count: number): Set<T> {
  const counts = new Map<string, number>();
  const candidates = items.map((item): Candidate<T> => {
    const isCheap = kindOf(item.record) === 'discovery';
    const key = `${isCheap} ${principalOf(item.record)}`;
    const turn = counts.get(key) ?? 0;
    counts.set(key, turn + 1);
    return { item, isCheap, turn };
  });
  // Of equal ones the newest: the sort keeps their order.
  candidates.reverse().sort((a, b) => Number(b.isCheap) - Number(a.isCheap) || b.turn - a.turn);
  return new Set(candidates.slice(0, count).map(({ item }) => item));
}

/** A call without an event is an execution as well. */
export function kindOf({ event }: NewRecord): AuditKind {
  return event?.kind ?? 'execution';
}

function principalOf({ call, event }: NewRecord): string {
  return event?.principal ?? call?.principal ?? '';
}

/** What came before a call and led to it: the tool that was called before, the query, the failed tool that it replaced. */

import type { CallRecord } from './call.ts';

export const pairKinds = ['sequence', 'query', 'suggestion'] as const;
export type PairKind = (typeof pairKinds)[number];

/** Pairs of each kind that are remembered. */
export const mostPairs = 10_000;

/** How often a tool was called after something, and how often that went well. */
export interface CallPair {
  readonly kind: PairKind;
  /** A toolKey, or for `query` the query. */
  readonly first: string;
  readonly server: string;
  readonly tool: string;
  readonly count: number;
  readonly ok: number;
}

export interface PairLead {
  readonly kind: PairKind;
  readonly first: string;
}

/** A sequence counts once the second tool has succeeded, or tries with wrong arguments would count as habits. */
export function leadsOf({ outcome, previous, query, suggestedFor }: CallRecord): PairLead[] {
  const leads: PairLead[] = [];
  if (previous !== null && outcome === 'ok') leads.push({ kind: 'sequence', first: previous });
  if (query !== null) leads.push({ kind: 'query', first: query });
  if (suggestedFor !== null) leads.push({ kind: 'suggestion', first: suggestedFor });
  return leads;
}

/** The length keeps two keys apart: a query may hold anything. */
export function pairKeyOf({ kind, first, server, tool }: Pick<CallPair, 'kind' | 'first' | 'server' | 'tool'>): string {
  return `${kind} ${first.length} ${first} ${server}:${tool}`;
}

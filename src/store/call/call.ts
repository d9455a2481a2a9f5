/** One finished call as it is written down (who was called, how it ended, how long it took), and the sums of many. */

import type { AuditRecord } from '../audit/audit.ts';
import type { Tally } from './tally.ts';

export const outcomeKinds = ['ok', 'arguments', 'tool', 'server', 'timeout', 'cancelled', 'refused'] as const;

/**
 * `arguments`: the caller's arguments were wrong; `tool`: the tool said no; `server`: it could not be reached or died;
 * `refused`: by us, because of access, approval or rate.
 */
export type OutcomeKind = (typeof outcomeKinds)[number];

export interface CallRecord {
  /** Wall clock, when it ended. */
  readonly at: number;
  readonly server: string;
  /** The server's own name for it. */
  readonly tool: string;
  readonly outcome: OutcomeKind;
  /** An `ErrorCode`, or null. */
  readonly errorType: string | null;
  /** The first sentence, masked and short; null when it went well. */
  readonly error: string | null;
  /** Fractions are kept to the microsecond. */
  readonly ms: number;
  readonly requestBytes: number;
  readonly resultBytes: number;
  /** The way it came in. */
  readonly way: string;
  readonly isCached: boolean;
  /** The id of who asked. */
  readonly principal: string;
  /** The opaque id of the agent's session. */
  readonly session: string;
  /** The toolKey that this session called before, successfully. */
  readonly previous: string | null;
  /** The query whose answer offered this tool. */
  readonly query: string | null;
  /** The toolKey of the failed tool as whose alternative this one was suggested. */
  readonly suggestedFor: string | null;
}

/** Calls of one tool, of all tools of a server, or of all. */
export interface CallScope {
  readonly server?: string | undefined;
  /** Only together with `server`. */
  readonly tool?: string | undefined;
}

export interface ToolTally {
  readonly server: string;
  readonly tool: string;
  readonly tally: Tally;
}

export interface ToolTallies {
  readonly tools: readonly ToolTally[];
  /** Calls that are not in the sums yet. */
  readonly unrolled: number;
}

export interface DayTally {
  /** Days since 1970, in UTC. */
  readonly day: number;
  readonly tally: Tally;
}

/** A span of time in steps of equal length. */
export interface CallSpan {
  /** The beginning of the first step. */
  readonly since: number;
  readonly stepMs: number;
  readonly count: number;
}

export interface StepTallies {
  /** One for each step of the span. Nothing in them says what was last. */
  readonly steps: readonly Tally[];
  /** False: there were more calls than are looked at, and the first steps lack some. */
  readonly isComplete: boolean;
}

/** The lead of a call: the tool that was called before it, the query, or the failed tool that it replaced. */
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

export interface PairFilter {
  readonly first?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
}

export interface RollUpOrder {
  readonly now: number;
  /** Rows of calls before this time are removed, once they are in the sums. */
  readonly expireBefore: number;
}

export interface RollUpReport {
  /** Calls that are in the sums now and were not before. */
  readonly rolledUp: number;
  /** Rows of calls that were removed. */
  readonly removed: number;
  /** Of the calls that were there when it began, those that are not in the sums yet. */
  readonly left: number;
}

export interface ForgetReport {
  /** Calls that are forgotten. */
  readonly forgotten: number;
  /** Those among them that a roll-up would still have had to deal with. */
  readonly unrolled: number;
}

export interface RecordAppender {
  /**
   * Calls, and events of the audit. Resolves once they are committed, all or none, in the order in which they were given:
   * to the ids of the events.
   * Never waits for a lock: rejects at once, with STORE_BUSY or STORE_BROKEN, where they cannot be written.
   */
  appendRecords(calls: readonly CallRecord[], events?: readonly AuditRecord[]): Promise<readonly number[]>;
}

export interface CallStore {
  /** The sums of every call of each tool: up to `most` tools, those that were called last, and of them the last one last. */
  listCallTallies(most: number): Promise<ToolTallies>;
  /** The sums of each day from `since` on, the oldest first; days without calls are left out. */
  listCallDays(scope: CallScope, since: number): Promise<DayTally[]>;
  /** The sums of each step of a span, from the rows that are still there. */
  listCallSteps(scope: CallScope, span: CallSpan): Promise<StepTallies>;
  /** The calls that something led to. Of very many pairs the rare and old ones may have been forgotten. In no order. */
  listCallPairs(kind: PairKind, filter: PairFilter): Promise<CallPair[]>;
  /** The newest calls, up to `most`, the oldest of these first. Rows that were removed, or whose calls were forgotten, are left out. */
  listRecentCalls(most: number): Promise<CallRecord[]>;
  /** Forgets the calls of a tool, a server or all, and what came of them in pairs. All or none. */
  forgetCalls(scope: CallScope): Promise<ForgetReport>;
  /**
   * Adds each call to the sums exactly once, whatever happens on the way, and removes the rows of old calls. Changes no
   * answer of the methods above. One at a time: asked again meanwhile, it gives the result of the one under way.
   */
  rollUpCalls(order: RollUpOrder): Promise<RollUpReport>;
}

export function toolKeyOf({ server, tool }: { readonly server: string; readonly tool: string }): string {
  return `${server}:${tool}`;
}

/** The length keeps two keys apart: a query may hold anything. */
export function pairKeyOf({ kind, first, server, tool }: Pick<CallPair, 'kind' | 'first' | 'server' | 'tool'>): string {
  return `${kind} ${first.length} ${first} ${server}:${tool}`;
}

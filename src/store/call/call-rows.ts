/** Rows of calls to domain words and back, for whoever reads them: this thread or the one that rolls up. */

import { fromText, toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { CallRecord, OutcomeKind } from './call.ts';
import type { CallPair, PairKind } from './call-pair.ts';
import { Histogram } from './histogram.ts';
import { microsOf, Tally } from './tally.ts';

export type CallRow = Omit<Schema['call'], 'id'>;
export type TallyRow = Omit<Schema['call_total'], 'server' | 'tool' | 'upto'>;

export function toCall(row: CallRow): CallRecord {
  return {
    at: row.at,
    server: row.server,
    tool: fromText(row.tool),
    // Only an `OutcomeKind` is ever written.
    outcome: row.outcome as OutcomeKind,
    errorType: row.error_type,
    error: optional(row.error, fromText),
    ms: row.micros / 1_000,
    requestBytes: row.request_bytes,
    resultBytes: row.result_bytes,
    way: row.way,
    isCached: row.is_cached === 1,
    principal: fromText(row.principal),
    session: fromText(row.session),
    previous: optional(row.previous, fromText),
    query: optional(row.query, fromText),
    suggestedFor: optional(row.suggested_for, fromText),
  };
}

export function fromCall(call: CallRecord): CallRow {
  return {
    at: call.at,
    server: call.server,
    tool: toText(call.tool),
    outcome: call.outcome,
    error_type: call.errorType,
    error: optional(call.error, toText),
    micros: microsOf(call.ms),
    request_bytes: call.requestBytes,
    result_bytes: call.resultBytes,
    way: call.way,
    is_cached: call.isCached ? 1 : 0,
    principal: toText(call.principal),
    session: toText(call.session),
    previous: optional(call.previous, toText),
    query: optional(call.query, toText),
    suggested_for: optional(call.suggestedFor, toText),
  };
}

export function toTally(row: TallyRow): Tally {
  const tally = new Tally();
  tally.outcomes.ok = row.ok_count;
  tally.outcomes.arguments = row.arguments_count;
  tally.outcomes.tool = row.tool_count;
  tally.outcomes.server = row.server_count;
  tally.outcomes.timeout = row.timeout_count;
  tally.outcomes.cancelled = row.cancelled_count;
  tally.outcomes.refused = row.refused_count;
  tally.cached = row.cached_count;
  tally.sumMicros = row.sum_micros;
  tally.latency = Histogram.decode(row.latency);
  tally.calledAt = row.called_at;
  tally.okAt = row.ok_at;
  if (row.error_at !== null)
    tally.error = { at: row.error_at, errorType: row.error_type, message: fromText(row.error ?? '') };
  tally.failuresInARow = row.failures_in_a_row;
  return tally;
}

export function fromTally(tally: Tally): TallyRow {
  const { outcomes, error } = tally;
  return {
    ok_count: outcomes.ok,
    arguments_count: outcomes.arguments,
    tool_count: outcomes.tool,
    server_count: outcomes.server,
    timeout_count: outcomes.timeout,
    cancelled_count: outcomes.cancelled,
    refused_count: outcomes.refused,
    cached_count: tally.cached,
    sum_micros: tally.sumMicros,
    latency: tally.latency.encode(),
    called_at: tally.calledAt,
    ok_at: tally.okAt,
    error_at: error?.at ?? null,
    error_type: error?.errorType ?? null,
    error: error === null ? null : toText(error.message),
    failures_in_a_row: tally.failuresInARow,
  };
}

export function toPair(row: Omit<Schema['call_pair'], 'upto'>): CallPair {
  const { server, count, ok } = row;
  // Only a `PairKind` is ever written.
  return { kind: row.kind as PairKind, first: fromText(row.first), server, tool: fromText(row.tool), count, ok };
}

function optional(text: string | null, change: (text: string) => string): string | null {
  return text === null ? null : change(text);
}

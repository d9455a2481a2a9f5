/** The tables of calls and of their sums, and their rows. */

import type { Generated, Kysely } from 'kysely';
import {
  asFlag,
  asNumber,
  asText,
  asWord,
  fromText,
  named,
  orNull,
  type RowIn,
  rowsOf,
  type StoredColumn,
} from '../columns.ts';
import { createTable, runSql } from '../record.ts';
import { type CallPair, type CallRecord, type OutcomeKind, outcomeKinds, type PairKind } from './call.ts';
import { Histogram } from './histogram.ts';
import { microsOf, Tally } from './tally.ts';

const asMicros: StoredColumn<number, number> = {
  sql: 'bigint not null',
  write: microsOf,
  read: (kept) => kept / 1_000,
};

export const callRows = rowsOf<CallRecord>()({
  at: asNumber,
  server: asWord(),
  tool: asText,
  outcome: asWord<OutcomeKind>(),
  errorType: orNull(asWord()),
  error: orNull(asText),
  ms: named('micros', asMicros),
  requestBytes: asNumber,
  resultBytes: asNumber,
  way: asWord(),
  isCached: asFlag,
  principal: asText,
  session: asText,
  previous: orNull(asText),
  query: orNull(asText),
  suggestedFor: orNull(asText),
});

export const pairRows = rowsOf<CallPair>()({
  kind: asWord<PairKind>(),
  first: asText,
  server: asWord(),
  tool: asText,
  count: asNumber,
  ok: asNumber,
});

type OutcomeCounts = { [Kind in OutcomeKind as `${Kind}_count`]: number };

/** The sum of the calls of one tool. */
interface TallyRow extends OutcomeCounts {
  server: string;
  tool: string;
  cached_count: number;
  sum_micros: number;
  /** A `Histogram`. */
  latency: Uint8Array;
  called_at: number | null;
  ok_at: number | null;
  error_at: number | null;
  error_type: string | null;
  error: string | null;
  failures_in_a_row: number;
  /** The id of the last call in it; those up to the watermark are in any case. */
  upto: number;
}

export interface CallTables {
  /** `id` grows with every call and is never given twice: says the order, which times do not when a clock is set. */
  call: RowIn<typeof callRows> & { id: number };
  call_total: TallyRow;
  /** `day`: days since 1970, in UTC. */
  call_day: TallyRow & { day: number };
  call_pair: RowIn<typeof pairRows> & { upto: number };
  /** Calls that were forgotten: their rows up to the id `upto` are still to be removed. null: of every server, or tool. */
  call_reset: { id: Generated<number>; server: string | null; tool: string | null; upto: number };
  /**
   * One row. Every call up to the id `watermark` is in the sums; `generation` moves when sums are forgotten. Every id up
   * to `given` was given once, though its row may be gone.
   */
  roll_up: { id: number; watermark: number; generation: number; given: number };
}

export function toTally(row: TallyRow): Tally {
  const tally = new Tally();
  for (const kind of outcomeKinds) tally.outcomes[kind] = row[`${kind}_count`];
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

const tallyColumns = `server text not null, tool text not null, ok_count bigint not null, arguments_count bigint not null,
  tool_count bigint not null, server_count bigint not null, timeout_count bigint not null,
  cancelled_count bigint not null, refused_count bigint not null, cached_count bigint not null,
  sum_micros bigint not null, latency blob not null, called_at bigint, ok_at bigint, error_at bigint, error_type text,
  error text, failures_in_a_row bigint not null, upto bigint not null`;

export async function createCallTables(db: Kysely<unknown>): Promise<void> {
  // The id is given by the writer: see `CallWriter`.
  await createTable(db, 'call', '"id" integer primary key', callRows);
  await createTable(db, 'call_total', tallyColumns, 'constraint "call_total_key" primary key ("server", "tool")');
  await createTable(
    db,
    'call_day',
    `${tallyColumns}, day integer not null`,
    'constraint "call_day_key" primary key ("day", "server", "tool")',
  );
  // With the day last, so that a few days of one tool or server are read without its others.
  await runSql(
    db,
    'create index "call_day_by_tool" on "call_day" ("server", "tool", "day")',
    'create index "call_day_by_server" on "call_day" ("server", "day")',
  );
  await createTable(
    db,
    'call_pair',
    pairRows,
    '"upto" bigint not null',
    'constraint "call_pair_key" primary key ("kind", "first", "server", "tool")',
  );
  await createTable(
    db,
    'call_reset',
    '"id" integer primary key autoincrement, "server" text, "tool" text, "upto" bigint not null',
  );
  await createTable(
    db,
    'roll_up',
    '"id" integer primary key, "watermark" bigint not null, "generation" bigint not null, "given" bigint not null',
  );
  await runSql(db, 'insert into roll_up (id, watermark, generation, given) values (1, 0, 0, 0)');
}

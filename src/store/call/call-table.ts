/** The tables of calls and of their sums. */

import type { Kysely } from 'kysely';
import { createTable, runSql, type StoreRecord } from '../record.ts';
import type { CallStore } from './call.ts';
import { selectDays, selectPairs, selectTallies } from './call-queries.ts';
import { type CallTables, callRows, pairRows } from './call-rows.ts';

/** Forgetting and rolling up are the database's own. */
type CallQueries = Pick<CallStore, 'listCallTallies' | 'listCallDays' | 'listCallPairs'>;

export const callRecord: StoreRecord<CallTables, CallQueries> = {
  migrations: { '0003-calls': createTables },
  open: ({ read }) => ({
    listCallTallies: (most) => read((db) => selectTallies(db, most)),
    listCallDays: (scope, since) => read((db) => selectDays(db, scope, since)),
    listCallPairs: (kind, filter) => read((db) => selectPairs(db, kind, filter)),
  }),
};

const tallyColumns = `server text not null, tool text not null, ok_count bigint not null, arguments_count bigint not null,
  tool_count bigint not null, server_count bigint not null, timeout_count bigint not null,
  cancelled_count bigint not null, refused_count bigint not null, cached_count bigint not null,
  sum_micros bigint not null, latency blob not null, called_at bigint, ok_at bigint, error_at bigint, error_type text,
  error text, failures_in_a_row bigint not null, upto bigint not null`;

async function createTables(db: Kysely<unknown>): Promise<void> {
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

/** Kysely on PostgreSQL: the stock dialect, with values in the form that SQLite gives them. */

import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Pool, types } from 'pg';
import { GatewayError } from '../../base/errors.ts';
import { runSql } from '../record.ts';
import { migrations } from '../records.ts';
import { migrationTable } from '../sqlite/check-database.ts';
import { functions } from './postgres-functions.ts';

/** Connections of one gateway. More would hardly be quicker: its own thread is busy long before. */
const mostConnections = 10;
/** A database that does not answer by then is gone, as far as this question is concerned. */
const connectMs = 5_000;

/** A gateway that froze in the middle of a change must not stop the others: the database ends its transaction. */
const idleTransactionMs = 10_000;
/** Nobody waits longer for another gateway's lock. */
const lockMs = 5_000;
/** A line that is cut without a word is noticed by then; a roll-up of very many calls takes less. */
const queryMs = 120_000;
const keepAliveMs = 10_000;

/** Also of the connection that hears of changes. */
export const connectionOptions = {
  application_name: 'toolcrib',
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveMs,
} as const;

/** PostgreSQL's numbers of its types. */
const typeIds = { bytea: 17, bigint: 20, numeric: 1700 } as const;

/** Ids, times and sums are far below 2^53. */
const readers = new Map<number, (kept: never) => unknown>([
  [typeIds.bigint, Number],
  [typeIds.numeric, Number],
  // A `Buffer` is not equal to the bytes that were written.
  [typeIds.bytea, (kept: string) => new Uint8Array(Buffer.from(kept.slice(2), 'hex'))],
]);

export function createPool(url: string): Pool {
  return new Pool({
    ...connectionOptions,
    connectionString: url,
    max: mostConnections,
    idle_in_transaction_session_timeout: idleTransactionMs,
    lock_timeout: lockMs,
    query_timeout: queryMs,
    types: { getTypeParser: (id, format) => readers.get(id) ?? types.getTypeParser(id, format) },
  });
}

export function kyselyOn(pool: Pool): Kysely<never> {
  return new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
}

/** Runs the steps that the database lacks, in one transaction, while other gateways wait. */
export async function migratePostgres(db: Kysely<never>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db);
  const steps = { '0000-functions': { up: (step: Kysely<unknown>) => runSql(step, ...functions) }, ...migrations };
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => steps },
    // Else a table of that name in another schema would be taken for it.
    migrationTableSchema: rows[0]?.schema ?? 'public',
    migrationTableName: migrationTable,
    migrationLockTableName: 'migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const done = await sql<{ name: string }>`select name from ${sql.table(migrationTable)}`.execute(db).catch(() => null);
  const unknown = done?.rows.map(({ name }) => name).filter((name) => !Object.hasOwn(steps, name)) ?? [];
  if (unknown.length === 0) throw error;
  throw new GatewayError('STORE_BROKEN', `A newer version of Toolcrib wrote the store (${unknown.join(', ')}).`, {
    hint: 'Start that version.',
    cause: error,
  });
}

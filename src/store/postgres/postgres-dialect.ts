/** Kysely on PostgreSQL: the stock dialect, and the steps that make and change the tables. */

import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { GatewayError } from '../../base/errors.ts';
import { runSql } from '../record.ts';
import { migrations } from '../records.ts';
import { migrationTable } from '../sqlite/check-database.ts';
import { functions } from './postgres-functions.ts';

export function kyselyOn(pool: PostgresPool): Kysely<never> {
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

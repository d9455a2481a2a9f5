/** The mark of a store that is being filled by a copy: nobody else uses it before it is whole. */

import type { QueryExecutorProvider } from 'kysely';
import { GatewayError } from '../../base/errors.ts';
import { isPostgres, runSql } from '../record.ts';

const table = 'unfinished_copy';

export const copyMark = {
  table,

  /** The store that is copied; undefined where there is no mark. */
  async find(db: QueryExecutorProvider): Promise<string | undefined> {
    const { sql } = await import('kysely');
    const look = (await isPostgres(db))
      ? sql<{
          count: number;
        }>`select count(*) as count from pg_tables where schemaname = current_schema() and tablename = ${table}`
      : sql<{ count: number }>`select count(*) as count from sqlite_master where name = ${table}`;
    const { rows } = await look.execute(db);
    if (rows[0]?.count !== 1) return undefined;
    const found = await sql<{ source: string }>`select source from ${sql.table(table)}`.execute(db);
    return found.rows[0]?.source ?? '';
  },

  async set(db: QueryExecutorProvider, source: string): Promise<void> {
    const { sql } = await import('kysely');
    await runSql(db, `create table ${table} (source text not null)`);
    await sql`insert into ${sql.table(table)} (source) values (${source})`.execute(db);
  },

  remove: (db: QueryExecutorProvider): Promise<void> => runSql(db, `drop table ${table}`),

  /** Throws STORE_BROKEN. */
  async check(db: QueryExecutorProvider, place: string): Promise<void> {
    const source = await copyMark.find(db);
    if (source === undefined) return;
    throw new GatewayError(
      'STORE_BROKEN',
      `The store ${place} cannot be used: a copy of ${source} into it was not finished.`,
      {
        hint: 'Repeat the command to finish it: toolcrib store copy TO',
      },
    );
  },
};

/** The tables of who may come in: tokens and projects. */

import type { Kysely } from 'kysely';

export async function createAccessTables(db: Kysely<unknown>): Promise<void> {
  // Loaded only where tables are made: a command that does not open the store is not to wait for it.
  const { sql } = await import('kysely');
  await db.schema
    .createTable('token')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('servers', 'text')
    .addColumn('project', 'text')
    .addColumn('surface', 'text')
    .addColumn('created_by', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute();
  // The name of a token that was revoked can be given again.
  await db.schema
    .createIndex('token_by_name')
    .unique()
    .on('token')
    .column('name')
    .where(sql.ref('revoked_at'), 'is', null)
    .execute();
  await db.schema
    .createTable('project')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
}

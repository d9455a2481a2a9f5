/** The table of what is kept sealed. */

import type { Kysely } from 'kysely';

export async function createSecretTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('secret')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
}

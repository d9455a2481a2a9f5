/** The table of projects that the config file has had. */

import type { Kysely } from 'kysely';

export async function createFileProjectTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('file_project')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .execute();
}

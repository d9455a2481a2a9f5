/** The table of approvals that last. */

import type { Kysely } from 'kysely';

export async function createApprovalTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('approval')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('principal_name', 'text', (column) => column.notNull())
    // Empty for none, because a unique key tells one null from another.
    .addColumn('project', 'text', (column) => column.notNull())
    .addColumn('tool_key', 'text', (column) => column.notNull())
    .addColumn('definition', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('approved_by', 'text', (column) => column.notNull())
    .addUniqueConstraint('approval_key', ['principal', 'project', 'tool_key'])
    .execute();
}

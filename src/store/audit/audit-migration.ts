/** The table of the audit, which is only ever added to. */

import type { Kysely } from 'kysely';

export async function createAuditTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit')
    // Without `autoincrement`, which writes to a second page with every commit: the last record never goes.
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('principal_name', 'text', (column) => column.notNull())
    .addColumn('client', 'text')
    .addColumn('request_id', 'text')
    .addColumn('session', 'text')
    .addColumn('server', 'text')
    .addColumn('tool', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('error_type', 'text')
    .addColumn('micros', 'bigint')
    .addColumn('arguments_hash', 'text')
    .addColumn('arguments', 'text')
    .addColumn('detail', 'text')
    .execute();
  // One row: what is older may go.
  await db.schema
    .createTable('audit_retention')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('expire_before', 'bigint', (column) => column.notNull())
    .execute();
  // As the table is made here, whatever becomes of it later.
  const made = db as Kysely<{ audit_retention: { id: number; expire_before: number } }>;
  await made.insertInto('audit_retention').values({ id: 1, expire_before: 0 }).execute();
  // Not imported at the top: whoever only looks at the names of the steps does without Kysely.
  const { sql } = await import('kysely');
  for (const trigger of triggers) await sql.raw(trigger).execute(db);
}

/** Rows from before have none of these: `request_id` is the id that the agent gave. */
export async function addRequestColumns(db: Kysely<unknown>): Promise<void> {
  for (const name of ['request', 'trace', 'project'])
    await db.schema.alterTable('audit').addColumn(name, 'text').execute();
}

/** Against mistakes of ours and careless hands. Whoever owns the file can still replace all of it. */
const triggers: readonly string[] = [
  `create trigger audit_no_update before update on audit
    begin select raise(abort, 'The audit is only added to.'); end`,
  // An insert that replaces a row would not be seen by the other triggers; -1 stands for an id that is still to be given.
  `create trigger audit_no_replace before insert on audit
    when new.id <> -1 and new.id <= (select max(id) from audit)
    begin select raise(abort, 'The audit is only added to.'); end`,
  `create trigger audit_no_delete before delete on audit
    when old.at >= (select expire_before from audit_retention) or old.id = (select max(id) from audit)
    begin select raise(abort, 'The audit lets go only of what is older than its retention.'); end`,
];

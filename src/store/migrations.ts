/** Every step from an empty database to the present tables, by name and in order; a step that was released never changes. */

import type { CreateTableBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createApprovalTable } from './approval/approval-migration.ts';
import { addRequestColumns, createAuditTables } from './audit/audit-migration.ts';
import { createPinTables } from './pin/pin-migration.ts';
import { createFileProjectTable } from './project/project-migration.ts';
import { createSecretTable } from './secret/secret-migration.ts';
import { createAccessTables } from './token/token-migration.ts';

export const migrationTable = 'migration';
export const migrationLockTable = 'migration_lock';

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-servers-and-listings': { up: createFirstTables },
  '0002-vectors-and-uses': { up: createVectorAndUseTables },
  '0003-calls': { up: createCallTables },
  '0004-disclosure': { up: createDisclosureTable },
  '0005-tokens-and-projects': { up: createAccessTables },
  '0006-approvals': { up: createApprovalTable },
  '0007-pins': { up: createPinTables },
  '0008-audit': { up: createAuditTables },
  '0009-secrets': { up: createSecretTable },
  '0010-projects-of-the-file': { up: createFileProjectTable },
  '0011-undo': { up: addUndoColumn },
  '0012-requests': { up: addRequestColumns },
};

async function createFirstTables(db: Kysely<unknown>): Promise<void> {
  await createServerTables(db);
  await createListingTables(db);
  await createChangeTable(db);
  await db.schema
    .createTable('verdict')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('modern', 'integer', (column) => column.notNull())
    .addColumn('legacy', 'integer')
    .addColumn('discover', 'text')
    .addColumn('decided_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function createServerTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('server')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('spec', 'text', (column) => column.notNull())
    .addColumn('added_at', 'bigint', (column) => column.notNull())
    .execute();
  // No reference to `server`: the servers of the config file have switches and listings too.
  await db.schema
    .createTable('switch')
    .addColumn('server', 'text', (column) => column.primaryKey())
    .addColumn('is_enabled', 'integer', (column) => column.notNull())
    .execute();
}

async function createListingTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('listing')
    .addColumn('server', 'text', (column) => column.primaryKey())
    .addColumn('head', 'text', (column) => column.notNull())
    .addColumn('listed_at', 'bigint', (column) => column.notNull())
    .addColumn('stale_since', 'bigint')
    .addColumn('stale_reason', 'text')
    .execute();
  await db.schema
    .createTable('item')
    .addColumn('server', 'text', (column) => column.notNull().references('listing.server').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('definition', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('item_key', ['server', 'kind', 'name'])
    .execute();
}

async function createChangeTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('change')
    // Never reused, so that a page that ends at an id stays true.
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('server', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('change', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('old_fingerprint', 'text')
    .addColumn('new_fingerprint', 'text')
    .addColumn('old_definition', 'text')
    .addColumn('new_definition', 'text')
    .execute();
  await db.schema.createIndex('change_by_server').on('change').columns(['server', 'id']).execute();
  await db.schema.createIndex('change_by_name').on('change').columns(['name', 'id']).execute();
}

async function createVectorAndUseTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('vector')
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('scale', 'double precision', (column) => column.notNull())
    .addColumn('values', 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('vector_key', ['fingerprint', 'model'])
    .execute();
  await db.schema
    .createTable('tool_use')
    .addColumn('query', 'text', (column) => column.notNull())
    .addColumn('tool_key', 'text', (column) => column.notNull())
    .addColumn('good', 'double precision', (column) => column.notNull())
    .addColumn('bad', 'double precision', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('tool_use_key', ['query', 'tool_key'])
    .execute();
}

async function createCallTables(db: Kysely<unknown>): Promise<void> {
  await createCallTable(db);
  await withTally(db.schema.createTable('call_total'))
    .addPrimaryKeyConstraint('call_total_key', ['server', 'tool'])
    .execute();
  await withTally(db.schema.createTable('call_day'))
    .addColumn('day', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('call_day_key', ['day', 'server', 'tool'])
    .execute();
  // With the day last, so that a few days of one tool or server are read without its others.
  await db.schema.createIndex('call_day_by_tool').on('call_day').columns(['server', 'tool', 'day']).execute();
  await db.schema.createIndex('call_day_by_server').on('call_day').columns(['server', 'day']).execute();
  await db.schema
    .createTable('call_pair')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('first', 'text', (column) => column.notNull())
    .addColumn('server', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('ok', 'bigint', (column) => column.notNull())
    .addColumn('upto', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('call_pair_key', ['kind', 'first', 'server', 'tool'])
    .execute();
  await createRollUpTables(db);
}

async function createCallTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('call')
    // Given by whoever writes: see `CallConnection`.
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('server', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('error_type', 'text')
    .addColumn('error', 'text')
    .addColumn('micros', 'bigint', (column) => column.notNull())
    .addColumn('request_bytes', 'bigint', (column) => column.notNull())
    .addColumn('result_bytes', 'bigint', (column) => column.notNull())
    .addColumn('way', 'text', (column) => column.notNull())
    .addColumn('is_cached', 'integer', (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull())
    .addColumn('previous', 'text')
    .addColumn('query', 'text')
    .addColumn('suggested_for', 'text')
    .execute();
}

function withTally<Table extends string>(table: CreateTableBuilder<Table, never>) {
  return table
    .addColumn('server', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('ok_count', 'bigint', (column) => column.notNull())
    .addColumn('arguments_count', 'bigint', (column) => column.notNull())
    .addColumn('tool_count', 'bigint', (column) => column.notNull())
    .addColumn('server_count', 'bigint', (column) => column.notNull())
    .addColumn('timeout_count', 'bigint', (column) => column.notNull())
    .addColumn('cancelled_count', 'bigint', (column) => column.notNull())
    .addColumn('refused_count', 'bigint', (column) => column.notNull())
    .addColumn('cached_count', 'bigint', (column) => column.notNull())
    .addColumn('sum_micros', 'bigint', (column) => column.notNull())
    .addColumn('latency', 'blob', (column) => column.notNull())
    .addColumn('called_at', 'bigint')
    .addColumn('ok_at', 'bigint')
    .addColumn('error_at', 'bigint')
    .addColumn('error_type', 'text')
    .addColumn('error', 'text')
    .addColumn('failures_in_a_row', 'bigint', (column) => column.notNull())
    .addColumn('upto', 'bigint', (column) => column.notNull());
}

async function createRollUpTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('call_reset')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('server', 'text')
    .addColumn('tool', 'text')
    .addColumn('upto', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('roll_up')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('watermark', 'bigint', (column) => column.notNull())
    .addColumn('generation', 'bigint', (column) => column.notNull())
    .addColumn('given', 'bigint', (column) => column.notNull())
    .execute();
  // As the table is made here, whatever becomes of it later.
  const made = db as Kysely<{ roll_up: { id: number; watermark: number; generation: number; given: number } }>;
  await made.insertInto('roll_up').values({ id: 1, watermark: 0, generation: 0, given: 0 }).execute();
}

async function addUndoColumn(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('pin').addColumn('undo', 'text').execute();
}

async function createDisclosureTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('disclosure_day')
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('project', 'text', (column) => column.notNull())
    .addColumn('surface', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('tokens', 'bigint', (column) => column.notNull())
    .addColumn('calls', 'bigint', (column) => column.notNull())
    .addColumn('direct_tokens', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('disclosure_day_key', ['day', 'project', 'surface', 'kind'])
    .execute();
}

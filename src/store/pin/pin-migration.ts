/** The tables of approvals. What was listed before there were any counts as approved at first sight. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { fingerprintOf } from '../../base/fingerprint.ts';
import { isObject } from '../../base/json.ts';

export async function createPinTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pin')
    .addColumn('server', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('approved_fingerprint', 'text')
    .addColumn('approved_definition', 'text')
    .addColumn('pending_fingerprint', 'text')
    .addColumn('pending_definition', 'text')
    .addColumn('basis_fingerprint', 'text')
    .addColumn('basis_definition', 'text')
    .addColumn('faded', 'text')
    .addColumn('grade', 'text')
    .addColumn('reasons', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('times', 'bigint', (column) => column.notNull())
    .addColumn('passes', 'bigint', (column) => column.notNull())
    .addColumn('shown', 'text')
    .addColumn('shown_to', 'text')
    .addColumn('told', 'text')
    .addColumn('told_at', 'bigint')
    .addColumn('refused', 'text')
    .addColumn('decided_by', 'text')
    .addColumn('decided_at', 'bigint')
    .addPrimaryKeyConstraint('pin_key', ['server', 'kind', 'name'])
    .execute();
  await createEventTable(db);
  await approveWhatIsListed(db);
}

async function createEventTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pin_event')
    // Never reused, so that the order stays true.
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('server', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('act', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('grade', 'text')
    .addColumn('reasons', 'text', (column) => column.notNull())
    .addColumn('decided_by', 'text')
    .execute();
  await db.schema.createIndex('pin_event_by_server').on('pin_event').columns(['server', 'name', 'id']).execute();
  await db.schema.createIndex('pin_event_by_age').on('pin_event').columns(['server', 'id']).execute();
}

/** The tables as this step finds and makes them, whatever becomes of them later. */
interface Tables {
  listing: { server: string; head: string; listed_at: number };
  item: { server: string; kind: string; name: string; fingerprint: string; definition: string };
  pin: Record<string, string | number | null>;
}

async function approveWhatIsListed(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<Tables>;
  for (const { server, head, listed_at } of await db.selectFrom('listing').selectAll().execute()) {
    const items = await db
      .selectFrom('item')
      .select(['kind', 'name', 'fingerprint', 'definition'])
      .where('server', '=', server)
      .execute();
    const words = wordsIn(head);
    const all = [
      ...items,
      { kind: 'server', name: '', fingerprint: fingerprintOf(words), definition: JSON.stringify(words) },
    ];
    for (const { kind, name, fingerprint, definition } of all) {
      const approved = { approved_fingerprint: fingerprint, approved_definition: definition };
      const row = {
        server,
        kind,
        name,
        source: '',
        state: 'approved',
        ...approved,
        reasons: '[]',
        since: listed_at,
        times: 0,
        passes: 0,
      };
      await db.insertInto('pin').values(row).execute();
    }
    await giveWay();
  }
}

/** What a server says of itself, as `wordsOf` of the catalog has it. */
function wordsIn(head: string): Record<string, string> {
  const { serverInfo, instructions }: Record<string, unknown> = JSON.parse(head);
  const { name, title, description } = isObject(serverInfo) ? serverInfo : {};
  const words = Object.entries({ name, title, description, instructions });
  return Object.fromEntries(words.filter((word): word is [string, string] => typeof word[1] === 'string'));
}

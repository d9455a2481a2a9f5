/** The tables of pins and their history. */

import type { Generated, Kysely, Transaction } from 'kysely';
import {
  asJson,
  asList,
  asNumber,
  asText,
  asWord,
  fromJson,
  named,
  orNull,
  type RowIn,
  rowsOf,
  type StoredColumn,
  since,
  toText,
} from '../columns.ts';
import { addColumns, createTable, runSql, type StoreRecord, upsert, workInChunks } from '../record.ts';
import {
  mostPinEvents,
  type PinAct,
  type PinBefore,
  type PinChanges,
  type PinEvent,
  type PinEventQuery,
  type PinKind,
  type PinnedWording,
  type PinReason,
  type PinState,
  type PinStore,
  type StoredPin,
  type StoredPinEvent,
} from './pin.ts';
import { approveListed } from './pin-migration.ts';

/** A `PinBefore` as JSON: nothing else is ever written. */
const before: StoredColumn<PinBefore, string> = {
  sql: 'text not null',
  write: (value) => JSON.stringify(value),
  read: (kept) => fromJson(kept) as unknown as PinBefore,
};

const keyColumns = { server: asWord(), kind: asWord<PinKind>(), name: asText };

/** A pin without its wordings, which take two columns each. */
const pinRows = rowsOf<Omit<StoredPin, Wording>>()({
  ...keyColumns,
  source: asWord(),
  state: asWord<PinState>(),
  faded: orNull(asWord()),
  grade: orNull(asWord()),
  reasons: asList<PinReason>(),
  since: asNumber,
  times: asNumber,
  passes: asNumber,
  shown: orNull(asWord()),
  shownTo: orNull(asText),
  told: orNull(asWord()),
  toldAt: orNull(asNumber),
  refused: orNull(asWord()),
  decidedBy: orNull(asText),
  decidedAt: orNull(asNumber),
  undo: since('0011-undo', orNull(before)),
});

const eventRows = rowsOf<PinEvent>()({
  ...keyColumns,
  act: asWord<PinAct>(),
  at: asNumber,
  before: orNull(asWord()),
  after: orNull(asWord()),
  grade: orNull(asWord()),
  reasons: asList<PinReason>(),
  by: named('decided_by', orNull(asText)),
});

type Wording = 'approved' | 'pending' | 'basis';
const wordingColumns = [
  'approved_fingerprint',
  'approved_definition',
  'pending_fingerprint',
  'pending_definition',
  'basis_fingerprint',
  'basis_definition',
] as const;
type WordingRow = { [Name in (typeof wordingColumns)[number]]: string | null };

export interface PinTables {
  pin: RowIn<typeof pinRows> & WordingRow;
  pin_event: RowIn<typeof eventRows> & { id: Generated<number> };
}

export const pinRecord: StoreRecord<PinTables, PinStore> = {
  migrations: {
    async '0007-pins'(db) {
      const key = 'constraint "pin_key" primary key ("server", "kind", "name")';
      await createTable(db, 'pin', pinRows, ...wordingColumns.map((name) => `"${name}" text`), key);
      // An id is never given twice, so that the order stays true.
      await createTable(db, 'pin_event', '"id" integer primary key autoincrement', eventRows);
      await runSql(
        db,
        'create index "pin_event_by_server" on "pin_event" ("server", "name", "id")',
        'create index "pin_event_by_age" on "pin_event" ("server", "id")',
      );
      await approveListed(db);
    },
    '0011-undo': (db) => addColumns(db, 'pin', pinRows, '0011-undo'),
  },
  open: ({ read, write }) => ({
    listPins: () => read(async (db) => (await db.selectFrom('pin').selectAll().execute()).map(toPin)),
    savePins: (changes) => write((db) => savePins(db, changes)),
    listPinEvents: (query) => read((db) => selectEvents(db, query)),
  }),
};

export async function savePins(db: Transaction<PinTables>, { pins, events, removed = [] }: PinChanges): Promise<void> {
  await workInChunks(removed, async (chunk) => {
    for (const { server, kind, name } of chunk) {
      const key = { server, kind, name: toText(name) };
      await db
        .deleteFrom('pin')
        .where((where) => where.and(key))
        .execute();
    }
  });
  await upsert(db, 'pin', ['server', 'kind', 'name'], pins.map(fromPin));
  await workInChunks(events, (chunk) => db.insertInto('pin_event').values(chunk.map(eventRows.toRow)).execute());
  for (const server of new Set(events.map((event) => event.server))) await pruneEvents(db, server);
}

/** Decisions of people stay: a server that never rests is not to push them out. */
async function pruneEvents(db: Transaction<PinTables>, server: string): Promise<void> {
  const undecided = db.selectFrom('pin_event').where('server', '=', server).where('decided_by', 'is', null);
  const oldest = await undecided.select('id').orderBy('id', 'desc').offset(mostPinEvents).limit(1).executeTakeFirst();
  if (oldest === undefined) return;
  await db
    .deleteFrom('pin_event')
    .where('server', '=', server)
    .where('decided_by', 'is', null)
    .where('id', '<=', oldest.id)
    .execute();
}

/** Newest first. */
async function selectEvents(db: Kysely<PinTables>, query: PinEventQuery): Promise<StoredPinEvent[]> {
  let select = db.selectFrom('pin_event').selectAll().orderBy('id', 'desc').limit(query.limit);
  if (query.server !== undefined) select = select.where('server', '=', query.server);
  if (query.kind !== undefined) select = select.where('kind', '=', query.kind);
  if (query.name !== undefined) select = select.where('name', '=', toText(query.name));
  return (await select.execute()).map((row) => ({ ...eventRows.toRecord(row), id: row.id }));
}

function toPin(row: PinTables['pin']): StoredPin {
  return {
    ...pinRows.toRecord(row),
    approved: toWording(row.approved_fingerprint, row.approved_definition),
    pending: toWording(row.pending_fingerprint, row.pending_definition),
    basis: toWording(row.basis_fingerprint, row.basis_definition),
  };
}

function toWording(fingerprint: string | null, definition: string | null): PinnedWording | null {
  return fingerprint === null || definition === null ? null : { fingerprint, definition: fromJson(definition) };
}

function fromPin(pin: StoredPin): PinTables['pin'] {
  const { approved, pending, basis } = pin;
  return {
    ...pinRows.toRow(pin),
    approved_fingerprint: approved?.fingerprint ?? null,
    approved_definition: definitionOf(approved),
    pending_fingerprint: pending?.fingerprint ?? null,
    pending_definition: definitionOf(pending),
    basis_fingerprint: basis?.fingerprint ?? null,
    basis_definition: definitionOf(basis),
  };
}

function definitionOf(wording: PinnedWording | null): string | null {
  return wording === null ? null : asJson.write(wording.definition);
}

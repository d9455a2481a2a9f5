/** Pins: for each thing that a server offers, and for its own words, the wording that was approved. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Generated, Kysely, Transaction } from 'kysely';
import { fingerprintOf } from '../../base/ids.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import {
  asBody,
  asJson,
  asNumber,
  asText,
  asWord,
  fromJson,
  named,
  orNull,
  type RowIn,
  rowsOf,
  since,
  toText,
} from '../columns.ts';
import type { ItemKind } from '../listing/listing.ts';
import { addColumns, createTable, keepNewest, runSql, type StoreRecord, upsert, workInChunks } from '../record.ts';

/** `server`: what a server says of itself; its name is empty. */
export const pinKinds = ['tool', 'resource', 'template', 'prompt', 'server'] as const satisfies (ItemKind | 'server')[];
export type PinKind = (typeof pinKinds)[number];

/** `changed`: it waits for the owner; `held`: nothing of it was ever approved; `rejected`: the owner said no. */
const pinStates = ['approved', 'changed', 'held', 'rejected'] as const;
export type PinState = (typeof pinStates)[number];

export interface PinnedWording {
  readonly fingerprint: string;
  readonly definition: JsonObject;
}

export interface PinReason {
  readonly code: string;
  readonly where: string;
  readonly sentence: string;
}

/** Names one thing of one server; unique. */
export interface PinKey {
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
}

export interface StoredPin extends PinKey {
  /** The server that was approved, whatever its name: another one under the same name starts with nothing. Empty: the one listed then. */
  readonly source: string;
  readonly state: PinState;
  /** null: never approved. */
  readonly approved: PinnedWording | null;
  /** The wording that the server offers instead; null: the approved one. */
  readonly pending: PinnedWording | null;
  /** The wording taken at first sight or by the owner, where changes without risk led away from it; null: the approved one. */
  readonly basis: PinnedWording | null;
  /** The fingerprint of what was approved, of something that is long gone: its words are not kept. */
  readonly faded: string | null;
  readonly grade: string | null;
  readonly reasons: readonly PinReason[];
  /** Since when the state is what it is. */
  readonly since: number;
  /** How often it became something that was not approved. */
  readonly times: number;
  /** How often it changed without risk. */
  readonly passes: number;
  /** The fingerprint that it had when that was last told. */
  readonly told: string | null;
  readonly toldAt: number | null;
  /** The fingerprint that the owner rejected. */
  readonly refused: string | null;
  /** The fingerprint that was last shown to somebody who can decide about it, and to whom. */
  readonly shown: string | null;
  readonly shownTo: string | null;
  /** The last decider; null: nobody had to. */
  readonly decidedBy: string | null;
  readonly decidedAt: number | null;
  /** The pin before the last decision; null: there is nothing to undo. */
  readonly undo: PinBefore | null;
}

/** A pin as it was until somebody decided about it at the time `at`. */
export interface PinBefore
  extends Omit<StoredPin, keyof PinKey | 'source' | 'told' | 'toldAt' | 'shown' | 'shownTo' | 'undo'> {
  readonly at: number;
}

/** `marked`: it passed though it is risky. `upgraded`: the server has another version, and `before` and `after` are versions. */
const pinActs = [
  'held',
  'passed',
  'marked',
  'upgraded',
  'changed',
  'returned',
  'approved',
  'rejected',
  'undone',
] as const;
export type PinAct = (typeof pinActs)[number];

/** Something that happened to a pin, kept as history: what people decided for ever, of the rest the newest. */
export interface PinEvent extends PinKey {
  readonly act: PinAct;
  readonly at: number;
  /** Fingerprints: what was approved until then, and what it was about. Of an upgrade, versions. */
  readonly before: string | null;
  readonly after: string | null;
  readonly grade: string | null;
  readonly reasons: readonly PinReason[];
  /** null: it happened by itself. */
  readonly by: string | null;
}

export interface StoredPinEvent extends PinEvent {
  readonly id: number;
}

export interface PinChanges {
  readonly pins: readonly StoredPin[];
  readonly events: readonly PinEvent[];
  /** Pins that are not remembered any more. */
  readonly removed?: readonly PinKey[] | undefined;
  /** The pins that the changes were made from. A pin that is not here is replaced, whatever it says. */
  readonly bases?: readonly PinBase[] | undefined;
}

/** One pin as somebody knew it; null: there was none. */
export interface PinBase extends PinKey {
  readonly pin: StoredPin | null;
}

/** Another gateway has changed pins since they were read, so nothing was written. */
export class OutdatedPinsError extends Error {
  /** As they are in the store. */
  readonly newer: readonly PinBase[];

  constructor(newer: readonly PinBase[]) {
    super('Another gateway decided about the same definitions.');
    this.newer = newer;
  }
}

/** Events of one server that nobody decided; older ones make room. */
export const mostPinEvents = 5_000;

interface PinEventQuery {
  readonly server?: string | undefined;
  readonly kind?: PinKind | undefined;
  readonly name?: string | undefined;
  readonly limit: number;
}

export interface PinStore {
  /** Approvals outlive the listing of what was approved. In no order. */
  listPins(): Promise<StoredPin[]>;
  /** Adds or replaces pins, adds to their history; all or none. Throws `OutdatedPinsError`. */
  savePins(changes: PinChanges): Promise<void>;
  /** Newest first. */
  listPinEvents(query: PinEventQuery): Promise<StoredPinEvent[]>;
}

const keyColumns = { server: asWord(), kind: asWord<PinKind>(), name: asText };

/** A pin without its wordings, which take two columns each. */
const pinRows = rowsOf<Omit<StoredPin, Wording>>()({
  ...keyColumns,
  source: asWord(),
  state: asWord<PinState>(),
  faded: orNull(asWord()),
  grade: orNull(asWord()),
  reasons: asBody<readonly PinReason[]>(),
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
  undo: since('0011-undo', orNull(asBody<PinBefore>())),
});

const eventRows = rowsOf<PinEvent>()({
  ...keyColumns,
  act: asWord<PinAct>(),
  at: asNumber,
  before: orNull(asWord()),
  after: orNull(asWord()),
  grade: orNull(asWord()),
  reasons: asBody<readonly PinReason[]>(),
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
    listPins: () => read((db) => selectPinsOf(db, null)),
    savePins: (changes) =>
      write(async (db, tell) => {
        for (const server of await savePins(db, changes)) tell({ type: 'catalog', server });
      }),
    listPinEvents: (query) => read((db) => selectEvents(db, query)),
  }),
};

/** Of these servers, or of all. */
export async function selectPinsOf(db: Kysely<PinTables>, servers: readonly string[] | null): Promise<StoredPin[]> {
  const all = db.selectFrom('pin').selectAll();
  return (await (servers === null ? all : all.where('server', 'in', servers)).execute()).map(toPin);
}

/** Says of which servers some were changed. */
export async function savePins(
  db: Transaction<PinTables>,
  { pins, events, removed = [], bases = [] }: PinChanges,
): Promise<ReadonlySet<string>> {
  await refuseOutdated(db, bases);
  await workInChunks(removed, async (chunk) => {
    for (const { server, kind, name } of chunk) {
      const key = pinRows.toPart({ server, kind, name });
      await db
        .deleteFrom('pin')
        .where((where) => where.and(key))
        .execute();
    }
  });
  await upsert(db, 'pin', ['server', 'kind', 'name'], pins.map(fromPin));
  await workInChunks(events, (chunk) => db.insertInto('pin_event').values(chunk.map(eventRows.toRow)).execute());
  // Decisions of people stay: a server that never rests is not to push them out.
  for (const server of new Set(events.map((event) => event.server)))
    await keepNewest(db, 'pin_event', { server, decided_by: null }, mostPinEvents);
  return new Set([...pins, ...removed].map(({ server }) => server));
}

async function refuseOutdated(db: Transaction<PinTables>, bases: readonly PinBase[]): Promise<void> {
  const newer: PinBase[] = [];
  await workInChunks(bases, async (chunk) => {
    const found = new Map((await selectNamed(db, chunk)).map((pin) => [keyOf(pin), pin]));
    for (const { server, kind, name, pin } of chunk) {
      const kept = found.get(keyOf({ server, kind, name })) ?? null;
      if (!isSamePin(kept, pin)) newer.push({ server, kind, name, pin: kept });
    }
  });
  if (newer.length > 0) throw new OutdatedPinsError(newer);
}

/** Also those of the same name and another server or kind. */
async function selectNamed(db: Transaction<PinTables>, keys: readonly PinKey[]): Promise<StoredPin[]> {
  const names = keys.map(({ name }) => toText(name));
  const rows = db.selectFrom('pin').selectAll().where('name', 'in', names);
  return (await rows.where('server', 'in', [...new Set(keys.map(({ server }) => server))]).execute()).map(toPin);
}

function keyOf({ server, kind, name }: PinKey): string {
  return JSON.stringify([server, kind, name]);
}

/** Wordings are compared by their fingerprints. */
export function isSamePin(one: StoredPin | null, other: StoredPin | null): boolean {
  return one === other || (one !== null && other !== null && markOf(one) === markOf(other));
}

function markOf({ approved, pending, basis, undo, ...rest }: StoredPin): string {
  const wordings = [approved, pending, basis].map((wording) => wording?.fingerprint ?? null);
  const plain = pinRows.toRow({ ...rest, undo: null });
  return JSON.stringify([wordings, undo?.at ?? null, ...pinRows.columns.map((column) => plain[column])]);
}

/** Newest first. */
async function selectEvents(db: Kysely<PinTables>, { limit, ...filter }: PinEventQuery): Promise<StoredPinEvent[]> {
  const matching = db
    .selectFrom('pin_event')
    .selectAll()
    .where((where) => where.and(eventRows.toPart(filter)));
  const rows = await matching.orderBy('id', 'desc').limit(limit).execute();
  return rows.map((row) => ({ ...eventRows.toRecord(row), id: row.id }));
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

/** The tables as this step finds and makes them, whatever becomes of them later. */
interface Tables {
  listing: { server: string; head: string; listed_at: number };
  item: { server: string; kind: string; name: string; fingerprint: string; definition: string };
  pin: Record<string, string | number | null>;
}

async function approveListed(untyped: Kysely<unknown>): Promise<void> {
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

/** A server's own words, as `wordsOf` of the catalog has it. */
function wordsIn(head: string): Record<string, string> {
  const { serverInfo, instructions }: Record<string, unknown> = JSON.parse(head);
  const { name, title, description } = isObject(serverInfo) ? serverInfo : {};
  const words = Object.entries({ name, title, description, instructions });
  return Object.fromEntries(words.filter((word): word is [string, string] => typeof word[1] === 'string'));
}

/** The listings of servers: everything that each offered when it was last asked, and how that changed. Long work gives way to the event loop between chunks of rows. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Generated, Kysely, Transaction } from 'kysely';
import type { JsonObject } from '../../base/json.ts';
import {
  asJson,
  asNumber,
  asText,
  asWord,
  fromJson,
  fromText,
  orNull,
  type RowIn,
  rowsOf,
  toText,
} from '../columns.ts';
import { type PinChanges, type PinTables, type StoredPin, savePins, selectPinsOf } from '../pin/pin.ts';
import { createTable, keepNewest, runSql, type StoreRecord, type Tell, upsert, workInChunks } from '../record.ts';
import { keyOf, type PlannedChange, planListing } from './plan-listing.ts';

export type ItemKind = 'tool' | 'resource' | 'template' | 'prompt';

/** One thing a server offers, as the server gave it. */
export interface ListedItem {
  readonly kind: ItemKind;
  /** A tool's or prompt's name, a resource's URI, a template's URI template. Unique by kind within a listing. */
  readonly name: string;
  readonly fingerprint: string;
  readonly definition: JsonObject;
}

/** A server's words about itself when it was last listed in full. */
interface ListingHead {
  readonly serverInfo: JsonObject | null;
  readonly capabilities: JsonObject;
  readonly instructions: string | null;
  /** The server that was listed, whatever its name: another one under the same name is not described by this. */
  readonly source: string;
}

/** A complete, successful listing of one server. */
export interface Listing extends ListingHead {
  readonly items: readonly ListedItem[];
  readonly listedAt: number;
}

/** A listing as the store knows it. `staleSince` is set while the server could not be listed again. */
export interface StoredListing extends Listing {
  readonly server: string;
  readonly staleSince: number | null;
  readonly staleReason: string | null;
}

export interface StoredCatalog {
  readonly listings: readonly StoredListing[];
  readonly pins: readonly StoredPin[];
}

export type ChangeKind = 'added' | 'updated' | 'removed';

/** The mark of a changed item, without its definitions. */
export interface CatalogChangeMark {
  readonly id: number;
  readonly server: string;
  readonly kind: ItemKind;
  readonly name: string;
  readonly change: ChangeKind;
  /** All changes of one listing have the same time. */
  readonly at: number;
}

/** Changes of one server that are kept as history; older ones make room. */
export const mostCatalogChanges = 5_000;

/** One change of one item. */
export interface CatalogChange extends CatalogChangeMark {
  readonly oldFingerprint: string | null;
  readonly newFingerprint: string | null;
  readonly oldDefinition: JsonObject | null;
  readonly newDefinition: JsonObject | null;
}

/** How many items of a listing were new, changed, gone or the same. */
export interface ListingDiff {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

interface ChangeQuery {
  readonly server?: string | undefined;
  readonly name?: string | undefined;
  /** Only changes with a smaller id: pages backwards. */
  readonly before?: number | undefined;
  readonly limit?: number | undefined;
}

export interface ListingStore {
  /** Every listing with its items, ordered by server, kind and name. */
  listListings(): Promise<StoredListing[]>;
  /** Listings and approvals as they are at one time: of these servers, or of all. */
  readCatalog(servers: readonly string[] | null): Promise<StoredCatalog>;
  /** Replaces a server's listing in one transaction, with what was judged of it; records each change as history, touches no unchanged row. */
  applyListing(server: string, listing: Listing, pins?: PinChanges): Promise<ListingDiff>;
  /** Keeps the last good listing and says that it may be out of date. No-op for an unknown server. */
  markStale(server: string, reason: string, at: number): Promise<void>;
  removeListing(server: string): Promise<void>;
  /** Newest first. */
  listChanges(query: ChangeQuery): Promise<CatalogChange[]>;
  listChangeMarks(query: ChangeQuery): Promise<CatalogChangeMark[]>;
  /** How much the last listing that changed something brought; null where none did. */
  countLastChange(server: string): Promise<LastChangeCounts | null>;
}

/** Of one listing, how many items it changed in each way. */
export interface LastChangeCounts extends Readonly<Record<ChangeKind, number>> {
  readonly at: number;
}

const rowsPerTurn = 500;
const defaultChanges = 100;
const mostChanges = 1000;

const itemRows = rowsOf<ListedItem>()({
  kind: asWord<ItemKind>(),
  name: asText,
  fingerprint: asWord(),
  definition: asJson,
});
const markColumns = {
  server: asWord(),
  kind: asWord<ItemKind>(),
  name: asText,
  change: asWord<ChangeKind>(),
  at: asNumber,
};
const markRows = rowsOf<Omit<CatalogChangeMark, 'id'>>()(markColumns);
const changeRows = rowsOf<Omit<CatalogChange, 'id'>>()({
  ...markColumns,
  oldFingerprint: orNull(asWord()),
  newFingerprint: orNull(asWord()),
  oldDefinition: orNull(asJson),
  newDefinition: orNull(asJson),
});

export interface ListingTables {
  listing: {
    server: string;
    /** `ListingHead` as JSON. */
    head: string;
    listed_at: number;
    stale_since: number | null;
    stale_reason: string | null;
  };
  item: RowIn<typeof itemRows> & { server: string };
  change: RowIn<typeof changeRows> & { id: Generated<number> };
}

export const listingRecord: StoreRecord<ListingTables & PinTables, ListingStore> = {
  migrations: { '0001-servers-and-listings': createTables },
  open: ({ read, write }) => ({
    listListings: () => read((db) => selectListings(db, null)),
    readCatalog: (servers) =>
      read(async (db) => ({
        listings: await selectListings(db, servers),
        pins: await selectPinsOf(db, servers),
      })),
    applyListing: (server, listing, pins) =>
      write(async (db, tell) => {
        const judged = pins ? await savePins(db, pins) : new Set();
        const { diff, isChanged } = await replaceListing(db, server, listing);
        if (isChanged || judged.size > 0) tell({ type: 'catalog', server });
        return diff;
      }),
    markStale: (server, reason, at) => write((db, tell) => markStale(db, { server, reason, at }, tell)),
    removeListing: (server) => write((db, tell) => deleteListing(db, server, tell)),
    listChanges: (query) =>
      read(async (db) => {
        const rows = await matchingChanges(db, query).selectAll().execute();
        return rows.map((row) => ({ ...changeRows.toRecord(row), id: row.id }));
      }),
    listChangeMarks: (query) =>
      read(async (db) => {
        const rows = await matchingChanges(db, query)
          .select(['id', ...markRows.columns])
          .execute();
        return rows.map((row) => ({ ...markRows.toRecord(row), id: row.id }));
      }),
    countLastChange: (server) => read((db) => countLastChange(db, server)),
  }),
};

async function countLastChange(db: Kysely<ListingTables>, server: string): Promise<LastChangeCounts | null> {
  const all = db.selectFrom('change').where('server', '=', server);
  const newest = all.select('at').orderBy('id', 'desc').limit(1);
  const rows = await all
    .where('at', '=', newest)
    .groupBy(['at', 'change'])
    .select(({ fn }) => ['at', 'change', fn.countAll().as('count')])
    .execute();
  const [first] = rows;
  if (first === undefined) return null;
  const countOf = (change: ChangeKind) => Number(rows.find((row) => row.change === change)?.count ?? 0);
  return { at: first.at, added: countOf('added'), updated: countOf('updated'), removed: countOf('removed') };
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'listing',
    '"server" text primary key, "head" text not null, "listed_at" bigint not null, "stale_since" bigint, "stale_reason" text',
  );
  await createTable(
    db,
    'item',
    '"server" text not null references "listing" ("server") on delete cascade',
    itemRows,
    'constraint "item_key" primary key ("server", "kind", "name")',
  );
  // An id is never given twice, so that a page that ends at one stays true.
  await createTable(db, 'change', '"id" integer primary key autoincrement', changeRows);
  await runSql(
    db,
    'create index "change_by_server" on "change" ("server", "id")',
    'create index "change_by_name" on "change" ("name", "id")',
  );
}

interface Staleness {
  readonly server: string;
  readonly reason: string;
  readonly at: number;
}

async function markStale(db: Transaction<ListingTables>, { server, reason, at }: Staleness, tell: Tell): Promise<void> {
  const known = db.selectFrom('listing').select(['stale_since', 'stale_reason']).where('server', '=', server);
  const old = await known.executeTakeFirst();
  const stale_reason = toText(reason);
  if (old === undefined || (old.stale_since !== null && old.stale_reason === stale_reason)) return;
  // The first failure says since when; the last one says why.
  const stale_since = old.stale_since ?? at;
  await db.updateTable('listing').set({ stale_since, stale_reason }).where('server', '=', server).execute();
  tell({ type: 'catalog', server });
}

/** Items go with their listing. Not part of the history: it tells what servers changed, not what their owner did. */
export async function deleteListing(db: Transaction<ListingTables>, server: string, tell: Tell): Promise<void> {
  const removed = await db.deleteFrom('listing').where('server', '=', server).returning('server').execute();
  if (removed.length > 0) tell({ type: 'catalog', server });
}

async function selectListings(db: Kysely<ListingTables>, servers: readonly string[] | null): Promise<StoredListing[]> {
  const listings: StoredListing[] = [];
  const all = db.selectFrom('listing').selectAll();
  const heads = await (servers === null ? all : all.where('server', 'in', servers)).execute();
  // Sorted here, because databases differ in how they order text.
  heads.sort((a, b) => compare(a.server, b.server));
  for (const head of heads) listings.push(toListing(head, await selectItems(db, head.server)));
  return listings;
}

function toListing(row: ListingTables['listing'], items: readonly ListedItem[]): StoredListing {
  // `saveHead` wrote it, and `fromJson` has seen that it is an object.
  const head = fromJson(row.head) as unknown as Omit<ListingHead, 'source'> & { readonly source?: string };
  return {
    server: row.server,
    serverInfo: head.serverInfo,
    capabilities: head.capabilities,
    instructions: head.instructions,
    // Heads that were written before there was a source are of none that is known.
    source: head.source ?? '',
    items,
    listedAt: row.listed_at,
    staleSince: row.stale_since,
    staleReason: row.stale_reason === null ? null : fromText(row.stale_reason),
  };
}

async function selectItems(db: Kysely<ListingTables>, server: string): Promise<ListedItem[]> {
  const rows = await db
    .selectFrom('item')
    .select(['kind', 'name', 'fingerprint', 'definition'])
    .where('server', '=', server)
    .execute();
  const items: ListedItem[] = [];
  for (const row of rows) {
    items.push(itemRows.toRecord(row));
    if (items.length % rowsPerTurn === 0) await giveWay();
  }
  return items.sort((a, b) => compare(a.kind, b.kind) || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `isChanged`: something but the time of the listing is different now. */
async function replaceListing(
  db: Transaction<ListingTables>,
  server: string,
  listing: Listing,
): Promise<{ readonly diff: ListingDiff; readonly isChanged: boolean }> {
  const isHeadChanged = await saveHead(db, server, listing);
  const known = await db
    .selectFrom('item')
    .select(['kind', 'name', 'fingerprint'])
    .where('server', '=', server)
    .execute();
  const plan = planListing(
    // Only an `ItemKind` is ever written.
    known.map((row) => ({ ...row, kind: row.kind as ItemKind, name: fromText(row.name) })),
    listing.items,
  );
  await workInChunks(plan.changes, (changes) => applyChanges(db, server, listing.listedAt, changes));
  // A server that never rests is not to fill the disk.
  if (plan.changes.length > 0) await keepNewest(db, 'change', { server }, mostCatalogChanges);
  return { diff: plan.diff, isChanged: isHeadChanged || plan.changes.length > 0 };
}

async function saveHead(db: Transaction<ListingTables>, server: string, listing: Listing): Promise<boolean> {
  const { serverInfo, capabilities, instructions, source } = listing;
  const head = JSON.stringify({ serverInfo, capabilities, instructions, source });
  const old = await db
    .selectFrom('listing')
    .select(['head', 'stale_since'])
    .where('server', '=', server)
    .executeTakeFirst();
  const row = { server, head, listed_at: listing.listedAt, stale_since: null, stale_reason: null };
  await upsert(db, 'listing', ['server'], [row]);
  return old === undefined || old.head !== head || old.stale_since !== null;
}

async function applyChanges(
  db: Transaction<ListingTables>,
  server: string,
  at: number,
  changes: readonly PlannedChange[],
): Promise<void> {
  const rows = changes.flatMap(({ item }) => (item === null ? [] : [{ server, ...itemRows.toRow(item) }]));
  await recordChanges(db, server, at, changes, new Map(rows.map((row) => [keyOf(row), row.definition])));
  await upsert(db, 'item', ['server', 'kind', 'name'], rows);
  const removed = changes.filter(({ change }) => change === 'removed');
  for (const [kind, names] of namesByKind(removed)) {
    await db
      .deleteFrom('item')
      .where('server', '=', server)
      .where('kind', '=', kind)
      .where('name', 'in', names)
      .execute();
  }
}

/** Runs before the items are touched, while their old definitions can still be read. */
async function recordChanges(
  db: Transaction<ListingTables>,
  server: string,
  at: number,
  changes: readonly PlannedChange[],
  newDefinitions: ReadonlyMap<string, string>,
): Promise<void> {
  const oldDefinitions = await selectDefinitions(db, server, changes);
  const rows = changes.map((planned) => {
    const row = { kind: planned.kind, name: toText(planned.name) };
    return {
      server,
      ...row,
      change: planned.change,
      at,
      old_fingerprint: planned.oldFingerprint,
      new_fingerprint: planned.item?.fingerprint ?? null,
      old_definition: oldDefinitions.get(keyOf(row)) ?? null,
      new_definition: newDefinitions.get(keyOf(row)) ?? null,
    };
  });
  await db.insertInto('change').values(rows).execute();
}

async function selectDefinitions(
  db: Transaction<ListingTables>,
  server: string,
  changes: readonly PlannedChange[],
): Promise<Map<string, string>> {
  const definitions = new Map<string, string>();
  for (const [kind, names] of namesByKind(changes.filter(({ change }) => change !== 'added'))) {
    const rows = await db
      .selectFrom('item')
      .select(['kind', 'name', 'definition'])
      .where('server', '=', server)
      .where('kind', '=', kind)
      .where('name', 'in', names)
      .execute();
    for (const row of rows) definitions.set(keyOf(row), row.definition);
  }
  return definitions;
}

/** Names in their stored form. */
function namesByKind(changes: readonly PlannedChange[]): [ItemKind, string[]][] {
  const byKind = Map.groupBy(changes, ({ kind }) => kind);
  return [...byKind].map(([kind, group]) => [kind, group.map(({ name }) => toText(name))]);
}

/** Newest first. */
function matchingChanges(db: Kysely<ListingTables>, query: ChangeQuery) {
  const limit = Math.max(0, Math.min(query.limit ?? defaultChanges, mostChanges));
  return db
    .selectFrom('change')
    .where((where) => where.and(changeRows.toPart({ server: query.server, name: query.name })))
    .where('id', '<', query.before ?? Number.MAX_SAFE_INTEGER)
    .orderBy('id', 'desc')
    .limit(limit);
}

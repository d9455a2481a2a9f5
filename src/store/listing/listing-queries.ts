/** The queries on listings, items and their history. Long ones give way to the event loop between chunks of rows. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { fromText, headToText, toChange, toChangeMark, toItem, toJson, toListing, toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import {
  type CatalogChange,
  type CatalogChangeMark,
  type ChangeQuery,
  type ItemKind,
  type ListedItem,
  type Listing,
  mostCatalogChanges,
  type StoredListing,
} from '../store.ts';
import { workInChunks } from '../work-in-chunks.ts';
import { keyOf, type ListingPlan, type PlannedChange, planListing } from './plan-listing.ts';

const rowsPerTurn = 500;
const defaultChanges = 100;
const mostChanges = 1000;

export async function selectListings(db: Kysely<Schema>): Promise<StoredListing[]> {
  const listings: StoredListing[] = [];
  const heads = await db.selectFrom('listing').selectAll().execute();
  // Sorted here, because databases differ in how they order text.
  heads.sort((a, b) => compare(a.server, b.server));
  for (const head of heads) listings.push(toListing(head, await selectItems(db, head.server)));
  return listings;
}

async function selectItems(db: Kysely<Schema>, server: string): Promise<ListedItem[]> {
  const rows = await db
    .selectFrom('item')
    .select(['kind', 'name', 'fingerprint', 'definition'])
    .where('server', '=', server)
    .execute();
  const items: ListedItem[] = [];
  for (const row of rows) {
    items.push(toItem(row));
    if (items.length % rowsPerTurn === 0) await giveWay();
  }
  return items.sort((a, b) => compare(a.kind, b.kind) || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `isChanged` tells whether anything but the time of the listing is different now. */
export async function applyListing(
  db: Transaction<Schema>,
  server: string,
  listing: Listing,
): Promise<ListingPlan & { readonly isChanged: boolean }> {
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
  if (plan.changes.length > 0) await pruneChanges(db, server);
  return { ...plan, isChanged: isHeadChanged || plan.changes.length > 0 };
}

async function saveHead(db: Transaction<Schema>, server: string, listing: Listing): Promise<boolean> {
  const head = headToText(listing);
  const old = await db
    .selectFrom('listing')
    .select(['head', 'stale_since'])
    .where('server', '=', server)
    .executeTakeFirst();
  const row = { head, listed_at: listing.listedAt, stale_since: null, stale_reason: null };
  await db
    .insertInto('listing')
    .values({ server, ...row })
    .onConflict((conflict) => conflict.column('server').doUpdateSet(row))
    .execute();
  return old === undefined || old.head !== head || old.stale_since !== null;
}

async function applyChanges(
  db: Transaction<Schema>,
  server: string,
  at: number,
  changes: readonly PlannedChange[],
): Promise<void> {
  const rows = changes.flatMap(({ item }) => (item === null ? [] : [toItemRow(server, item)]));
  await recordChanges(db, server, at, changes, new Map(rows.map((row) => [keyOf(row), row.definition])));
  if (rows.length > 0) {
    await db
      .insertInto('item')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['server', 'kind', 'name']).doUpdateSet((set) => ({
          fingerprint: set.ref('excluded.fingerprint'),
          definition: set.ref('excluded.definition'),
        })),
      )
      .execute();
  }
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

function toItemRow(server: string, item: ListedItem): Schema['item'] {
  const { kind, fingerprint } = item;
  return { server, kind, name: toText(item.name), fingerprint, definition: toJson(item.definition) };
}

/** Runs before the items are touched, while their old definitions can still be read. */
async function recordChanges(
  db: Transaction<Schema>,
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
  db: Transaction<Schema>,
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

export async function selectChanges(db: Kysely<Schema>, query: ChangeQuery): Promise<CatalogChange[]> {
  return (await matchingChanges(db, query).selectAll().execute()).map(toChange);
}

export async function selectChangeMarks(db: Kysely<Schema>, query: ChangeQuery): Promise<CatalogChangeMark[]> {
  const rows = await matchingChanges(db, query).select(['id', 'server', 'kind', 'name', 'change', 'at']).execute();
  return rows.map(toChangeMark);
}

/** Newest first. */
function matchingChanges(db: Kysely<Schema>, query: ChangeQuery) {
  const limit = Math.max(0, Math.min(query.limit ?? defaultChanges, mostChanges));
  let select = db.selectFrom('change').orderBy('id', 'desc').limit(limit);
  if (query.server !== undefined) select = select.where('server', '=', query.server);
  if (query.name !== undefined) select = select.where('name', '=', toText(query.name));
  if (query.before !== undefined) select = select.where('id', '<', query.before);
  return select;
}

/** A server that never rests is not to fill the disk. */
async function pruneChanges(db: Transaction<Schema>, server: string): Promise<void> {
  const ofServer = db.selectFrom('change').where('server', '=', server);
  const oldest = await ofServer
    .select('id')
    .orderBy('id', 'desc')
    .offset(mostCatalogChanges)
    .limit(1)
    .executeTakeFirst();
  if (oldest !== undefined)
    await db.deleteFrom('change').where('server', '=', server).where('id', '<=', oldest.id).execute();
}

/** The queries on approvals and their history. */

import type { Kysely, Transaction } from 'kysely';
import { fromJson, fromText, toJson, toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { workInChunks } from '../work-in-chunks.ts';
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
  type StoredPin,
  type StoredPinEvent,
} from './pin.ts';

/** In no order. */
export async function selectPins(db: Kysely<Schema>): Promise<StoredPin[]> {
  return (await db.selectFrom('pin').selectAll().execute()).map(toPin);
}

export async function upsertPins(db: Transaction<Schema>, { pins, events, removed = [] }: PinChanges): Promise<void> {
  await workInChunks(removed, async (chunk) => {
    for (const { server, kind, name } of chunk) {
      const at = { server, kind, name: toText(name) };
      await db
        .deleteFrom('pin')
        .where((where) => where.and(at))
        .execute();
    }
  });
  await workInChunks(pins, async (chunk) => {
    await db
      .insertInto('pin')
      .values(chunk.map(fromPin))
      .onConflict((conflict) =>
        conflict
          .columns(['server', 'kind', 'name'])
          .doUpdateSet((set) => Object.fromEntries(replaced.map((column) => [column, set.ref(`excluded.${column}`)]))),
      )
      .execute();
  });
  await workInChunks(events, async (chunk) => {
    await db.insertInto('pin_event').values(chunk.map(fromEvent)).execute();
  });
  for (const server of new Set(events.map((event) => event.server))) await prunePinEvents(db, server);
}

/** What somebody decided stays: a server that never rests is not to push it out. */
async function prunePinEvents(db: Transaction<Schema>, server: string): Promise<void> {
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

/** Every column but those of the key. */
const replaced = [
  ...[
    'source',
    'state',
    'grade',
    'reasons',
    'since',
    'times',
    'passes',
    'faded',
    'shown',
    'shown_to',
    'told',
    'told_at',
    'refused',
    'decided_by',
    'decided_at',
    'undo',
  ],
  ...['approved_fingerprint', 'approved_definition', 'pending_fingerprint', 'pending_definition'],
  ...['basis_fingerprint', 'basis_definition'],
] as readonly Exclude<keyof Schema['pin'], 'server' | 'kind' | 'name'>[];

/** Newest first. */
export async function selectPinEvents(db: Kysely<Schema>, query: PinEventQuery): Promise<StoredPinEvent[]> {
  let select = db.selectFrom('pin_event').selectAll().orderBy('id', 'desc').limit(query.limit);
  if (query.server !== undefined) select = select.where('server', '=', query.server);
  if (query.kind !== undefined) select = select.where('kind', '=', query.kind);
  if (query.name !== undefined) select = select.where('name', '=', toText(query.name));
  return (await select.execute()).map(toEvent);
}

function toPin(row: Schema['pin']): StoredPin {
  return {
    server: row.server,
    // Only a `PinKind` and a `PinState` are ever written.
    kind: row.kind as PinKind,
    name: fromText(row.name),
    source: row.source,
    state: row.state as PinState,
    approved: toWording(row.approved_fingerprint, row.approved_definition),
    pending: toWording(row.pending_fingerprint, row.pending_definition),
    basis: toWording(row.basis_fingerprint, row.basis_definition),
    faded: row.faded,
    grade: row.grade,
    reasons: toReasons(row.reasons),
    since: row.since,
    times: row.times,
    passes: row.passes,
    shown: row.shown,
    shownTo: row.shown_to === null ? null : fromText(row.shown_to),
    told: row.told,
    toldAt: row.told_at,
    refused: row.refused,
    decidedBy: row.decided_by === null ? null : fromText(row.decided_by),
    decidedAt: row.decided_at,
    // Only a `PinBefore` is ever written.
    undo: row.undo === null ? null : (fromJson(row.undo) as unknown as PinBefore),
  };
}

function toWording(fingerprint: string | null, definition: string | null): PinnedWording | null {
  return fingerprint === null || definition === null ? null : { fingerprint, definition: fromJson(definition) };
}

function fromPin(pin: StoredPin): Schema['pin'] {
  const { server, kind, source, state, approved, pending, basis, faded, grade, since, told, refused, shown } = pin;
  return {
    ...{ server, kind, name: toText(pin.name), source, state, faded, grade, since, told, refused, shown },
    ...{ times: pin.times, passes: pin.passes, shown_to: pin.shownTo === null ? null : toText(pin.shownTo) },
    basis_fingerprint: basis?.fingerprint ?? null,
    basis_definition: basis === null ? null : toJson(basis.definition),
    approved_fingerprint: approved?.fingerprint ?? null,
    approved_definition: approved === null ? null : toJson(approved.definition),
    pending_fingerprint: pending?.fingerprint ?? null,
    pending_definition: pending === null ? null : toJson(pending.definition),
    reasons: JSON.stringify(pin.reasons),
    told_at: pin.toldAt,
    decided_by: pin.decidedBy === null ? null : toText(pin.decidedBy),
    decided_at: pin.decidedAt,
    undo: pin.undo === null ? null : JSON.stringify(pin.undo),
  };
}

function toEvent(row: Omit<Schema['pin_event'], 'id'> & { id: number }): StoredPinEvent {
  const { id, server, at, before, after, grade } = row;
  return {
    ...{ id, server, at, before, after, grade },
    // Only a `PinKind` and a `PinAct` are ever written.
    kind: row.kind as PinKind,
    name: fromText(row.name),
    act: row.act as PinAct,
    reasons: toReasons(row.reasons),
    by: row.decided_by === null ? null : fromText(row.decided_by),
  };
}

function fromEvent(event: PinEvent): Omit<Schema['pin_event'], 'id'> {
  const { server, kind, act, at, before, after, grade, by } = event;
  return {
    ...{ server, kind, act, at, before, after, grade },
    name: toText(event.name),
    reasons: JSON.stringify(event.reasons),
    decided_by: by === null ? null : toText(by),
  };
}

/** Only a list of reasons is ever written. */
function toReasons(text: string): PinReason[] {
  return JSON.parse(text) as PinReason[];
}

/** The gateways that share a store (replicas), each as long as it is seen, and the work that one of them has taken on for all. */

import type { QueryExecutorProvider, Transaction } from 'kysely';
import { GatewayError } from '../../base/errors.ts';
import { asNumber, asText, asWord, orNull, primary, rowsOf, since } from '../columns.ts';
import { type AnyDatabase, addColumns, isPostgres, RecordTable, type StoreRecord } from '../record.ts';

/** A replica that was not seen for this long is gone, and others take over its work. */
export const goneAfterMs = 6_000;

/** A replica as it describes itself. */
export interface ReplicaFacts {
  readonly id: string;
  /** Where the others reach it; null: it serves one command, and nobody reaches it. */
  readonly url: string | null;
  readonly version: string;
  /** By its own clock. */
  readonly startedAt: number;
  /** Which key seals its secrets, and which settings and flags it has: equal marks mean equal ones, and tell nothing else. */
  readonly keyMark: string;
  readonly configMark: string;
}

export interface StoredReplica extends ReplicaFacts {
  /** By the clock of the database. */
  readonly seenAt: number;
  /** How far its own clock was ahead of the database's then; negative: behind; null: unknown. */
  readonly clockAheadMs: number | null;
}

/** A replica has taken on a work. Nobody else has it until it gives it back or is gone; then the term is over for good. */
export interface DutyTerm {
  readonly work: string;
  readonly replica: string;
  /** Random: no other term is called so. */
  readonly term: string;
}

interface ReplicaBeat {
  /** Those that are there, the one that asks among them. */
  readonly replicas: readonly StoredReplica[];
  /** Terms of the one that asks. */
  readonly terms: readonly DutyTerm[];
}

export interface ReplicaStore {
  /**
   * Records that a replica is there, and takes on the works that no other replica has. `now` is the clock of the replica, which is
   * compared with that of the database.
   */
  beatReplica(facts: ReplicaFacts, wanted: readonly DutyTerm[], now?: () => number): Promise<ReplicaBeat>;
  /** It ends in an orderly way: its work is free at once. */
  removeReplica(id: string): Promise<void>;
  /** Those that are there, the oldest first. */
  listReplicas(): Promise<{ readonly replicas: readonly StoredReplica[]; readonly now: number }>;
  /** False where somebody has that work, or the replica itself counts as gone. */
  takeDuty(term: DutyTerm): Promise<boolean>;
  dropDuty(term: DutyTerm): Promise<void>;
}

const replicaRows = rowsOf<StoredReplica>()({
  id: primary(asWord()),
  url: orNull(asText),
  version: asText,
  startedAt: asNumber,
  keyMark: asWord(),
  configMark: asWord(),
  seenAt: asNumber,
  clockAheadMs: since('0020-replica-clocks', orNull(asNumber)),
});
const dutyRows = rowsOf<DutyTerm>()({ work: primary(asText), replica: asWord(), term: asWord() });

const replicas = new RecordTable('replica', replicaRows, ['id']);
const duties = new RecordTable('duty', dutyRows, ['work']);

/** Both tell of gateways that run, so copies of a store leave them out. */
export const replicaTables: readonly string[] = ['replica', 'duty'];

export const replicaRecord: StoreRecord<unknown, ReplicaStore> = {
  migrations: {
    async '0016-replicas'(db) {
      await replicas.create(db);
      await duties.create(db);
    },
    '0020-replica-clocks': (db) => addColumns(db, 'replica', replicaRows, '0020-replica-clocks'),
  },
  open: ({ read, write }) => ({
    beatReplica: (facts, wanted, now) =>
      write(async (db) => {
        await replicas.save(db, [{ ...facts, ...(await compareClocks(db, now)) }]);
        const present = await removeGone(db);
        await duties.add(db, wanted);
        return { replicas: present, terms: await duties.list(db, { replica: facts.id }) };
      }, 'replicas'),
    removeReplica: (id) =>
      write(async (db) => {
        await replicas.remove(db, { id });
        await duties.remove(db, { replica: id });
      }, 'replicas'),
    listReplicas: () => read(findReplicas),
    takeDuty: (term) =>
      write(async (db) => {
        const present = await removeGone(db);
        if (!present.some(({ id }) => id === term.replica)) return false;
        await duties.add(db, [term]);
        return (await duties.list(db, { ...term })).length > 0;
      }, 'replicas'),
    dropDuty: (term) => write(async (db) => void (await duties.remove(db, { ...term })), 'replicas'),
  }),
};

/** Those that are there, the oldest first, with the time of the database. */
export async function findReplicas(db: AnyDatabase & QueryExecutorProvider): ReturnType<ReplicaStore['listReplicas']> {
  const now = await databaseNow(db);
  const present = (await replicas.list(db)).filter((one) => !isGone(one, now));
  return { replicas: inOrder(present), now };
}

/**
 * For a write that is part of a work: refuses it once the term is over, because somebody else does that work now. Until the
 * transaction ends, nobody takes it over.
 */
export async function checkTerm(db: Transaction<unknown>, { work, term }: DutyTerm): Promise<void> {
  const { sql } = await import('kysely');
  const lock = (await isPostgres(db)) ? sql`for share` : sql``;
  const { rows } = await sql`select term from duty where work = ${work} and term = ${term} ${lock}`.execute(db);
  if (rows.length === 0)
    throw new GatewayError('STORE_BUSY', `Another gateway has taken over the work "${work}".`, {
      data: { reason: termOver },
    });
}

const termOver = 'term-over';

/** True if a write was refused because somebody else does that work now. */
export function isTermOver(error: unknown): boolean {
  return error instanceof GatewayError && error.data?.reason === termOver;
}

/** In milliseconds: clocks of several machines differ, and the database has one. */
export async function databaseNow(db: QueryExecutorProvider): Promise<number> {
  const { sql } = await import('kysely');
  const clock = (await isPostgres(db))
    ? sql<{ now: number }>`select floor(extract(epoch from clock_timestamp()) * 1000) as now`
    : sql<{ now: number }>`select cast(unixepoch('subsec') * 1000 as integer) as now`;
  const [found] = (await clock.execute(db)).rows;
  return found?.now ?? 0;
}

/** After a slower answer, the database may have read its clock too long ago. */
const slowestLookMs = 1_000;

async function compareClocks(
  db: QueryExecutorProvider,
  now: (() => number) | undefined,
): Promise<Pick<StoredReplica, 'seenAt' | 'clockAheadMs'>> {
  const before = now?.();
  const seenAt = await databaseNow(db);
  const after = now?.();
  if (before === undefined || after === undefined || after - before > slowestLookMs || after < before)
    return { seenAt, clockAheadMs: null };
  return { seenAt, clockAheadMs: Math.round((before + after) / 2 - seenAt) };
}

/** Says who is there. */
async function removeGone(db: Transaction<unknown>): Promise<StoredReplica[]> {
  const now = await databaseNow(db);
  const present: StoredReplica[] = [];
  for (const one of await replicas.list(db)) {
    if (isGone(one, now)) await replicas.remove(db, { id: one.id });
    else present.push(one);
  }
  const ids = new Set(present.map(({ id }) => id));
  for (const term of await duties.list(db)) if (!ids.has(term.replica)) await duties.remove(db, { ...term });
  return inOrder(present);
}

function isGone({ seenAt }: StoredReplica, now: number): boolean {
  return now - seenAt >= goneAfterMs;
}

function inOrder(present: readonly StoredReplica[]): StoredReplica[] {
  return present.toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
}

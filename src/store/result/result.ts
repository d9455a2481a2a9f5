/** Large results, in chunks, for every gateway on a shared database: whole or not to be found, and within a limit. */

import type { Kysely, Transaction } from 'kysely';
import { asBytes, asNumber, asText, asWord, primary, type RowIn, rowsOf } from '../columns.ts';
import { createTable, RecordTable, runSql, type StoreRecord, workInChunks } from '../record.ts';
import { databaseNow } from '../replica/replica.ts';

/** A stored result in a shared store. */
export interface ResultCopy {
  /** Random: whoever knows it has it from the principal or from us. */
  readonly id: string;
  /** The id of the principal that made the call: nobody else finds it. */
  readonly principal: string;
  /** Of all chunks together. */
  readonly bytes: number;
  /** How many of them, at the beginning, are its manifest. */
  readonly manifestBytes: number;
}

/** Durations, because the clocks of gateways differ. */
export interface FoundCopy extends ResultCopy {
  readonly ageMs: number;
  readonly leftMs: number;
}

export interface ResultStore {
  /**
   * In order, from 0 on. The first one makes room: while all would take more than `mostBytes`, the oldest result of the principal
   * that stores the most is removed. With the last one the result is whole, and is found for `ttlMs`. False: the store takes no more
   * of it, because it is whole already, was removed meanwhile, or is larger than `mostBytes` itself.
   */
  addResultChunk(result: ResultCopy, number: number, bytes: Uint8Array, limits: ResultLimits): Promise<boolean>;
  findResult(id: string, principal: string): Promise<FoundCopy | undefined>;
  /** Undefined: the result was removed meanwhile, or has no such chunk. */
  readResultChunk(id: string, number: number): Promise<Uint8Array | undefined>;
  /** Of one principal, the newest first. */
  listResults(principal: string): Promise<FoundCopy[]>;
  /** Those whose time is over, and those that their gateway did not finish. Says how many. */
  removeExpiredResults(): Promise<number>;
}

interface ResultLimits {
  readonly mostBytes: number;
  readonly ttlMs: number;
}

/** A result that gets no chunk for this long is not finished any more: its gateway is gone. */
const unfinishedMs = 2 * 60_000;
const rowsPerPage = 100;

interface ResultRow extends ResultCopy {
  /** By the clock of the database, as the next one. */
  readonly madeAt: number;
  readonly expiresAt: number;
  /** Of the chunks that are there: it is whole when these are all. */
  readonly receivedBytes: number;
}

const resultRows = rowsOf<ResultRow>()({
  id: primary(asWord()),
  principal: asText,
  bytes: asNumber,
  manifestBytes: asNumber,
  madeAt: asNumber,
  expiresAt: asNumber,
  receivedBytes: asNumber,
});
const chunkRows = rowsOf<{ readonly number: number; readonly bytes: Uint8Array }>()({
  number: asNumber,
  bytes: asBytes,
});

const results = new RecordTable('result', resultRows, ['id']);

interface ResultTables {
  result: RowIn<typeof resultRows>;
  result_chunk: RowIn<typeof chunkRows> & { result: string };
}

/** Results expire, so copies of a store leave them out. */
export const resultTables: readonly string[] = ['result', 'result_chunk'];

export const resultRecord: StoreRecord<ResultTables, ResultStore> = {
  migrations: {
    async '0018-results'(db) {
      await results.create(db);
      await createTable(
        db,
        'result_chunk',
        '"result" text not null references "result" ("id") on delete cascade',
        chunkRows,
        'constraint "result_chunk_key" primary key ("result", "number")',
      );
      await runSql(db, 'create index "result_by_principal" on "result" ("principal", "made_at", "id")');
    },
  },
  open: ({ read, write }) => ({
    addResultChunk: (result, number, bytes, limits) =>
      write((db) => addChunk(db, result, number, bytes, limits), 'results'),
    findResult: (id, principal) => read(async (db) => (await findWhole(db, { id, principal }))[0]),
    readResultChunk: (id, number) =>
      read(async (db) => {
        const chunk = db.selectFrom('result_chunk').select('bytes').where('result', '=', id);
        return (await chunk.where('number', '=', number).executeTakeFirst())?.bytes;
      }),
    async listResults(principal) {
      const all = await read((db) => findWhole(db, { principal }));
      return all.sort((a, b) => a.ageMs - b.ageMs || (a.id < b.id ? -1 : 1));
    },
    removeExpiredResults: () => write(async (db) => removeExpired(db, await databaseNow(db)), 'results'),
  }),
};

async function addChunk(
  db: Transaction<ResultTables>,
  result: ResultCopy,
  number: number,
  bytes: Uint8Array,
  { mostBytes, ttlMs }: ResultLimits,
): Promise<boolean> {
  const { id } = result;
  const now = await databaseNow(db);
  const [found] = await results.list(db, { id });
  // Others may be reading it: its gateway was not told that the last chunk was taken, and begins again.
  if (found !== undefined && isWhole(found, now)) return false;
  if (number === 0) {
    // Left by an attempt that failed.
    await results.remove(db, { id });
    await removeExpired(db, now);
    // No removal would make enough room.
    if (result.bytes > mostBytes) return false;
    await makeRoom(db, result, mostBytes);
  }
  const begun = { ...result, madeAt: now, receivedBytes: 0 };
  const before = number === 0 ? begun : found;
  if (before === undefined) return false;
  const receivedBytes = before.receivedBytes + bytes.length;
  const lifeMs = receivedBytes < result.bytes ? unfinishedMs : ttlMs;
  await results.save(db, [{ ...before, receivedBytes, expiresAt: now + lifeMs }]);
  await db.insertInto('result_chunk').values({ result: id, number, bytes }).execute();
  return true;
}

async function findWhole(
  db: Kysely<ResultTables>,
  filter: { readonly id?: string; readonly principal: string },
): Promise<FoundCopy[]> {
  const now = await databaseNow(db);
  return (await results.list(db, filter))
    .filter((result) => isWhole(result, now))
    .map(({ madeAt, expiresAt, receivedBytes: _, ...result }) => ({
      ...result,
      ageMs: now - madeAt,
      leftMs: expiresAt - now,
    }));
}

function isWhole({ receivedBytes, bytes, expiresAt }: ResultRow, now: number): boolean {
  return receivedBytes === bytes && expiresAt > now;
}

async function removeExpired(db: Transaction<ResultTables>, now: number): Promise<number> {
  const removed = await db.deleteFrom('result').where('expires_at', '<=', now).returning('id').execute();
  return removed.length;
}

async function makeRoom(
  db: Transaction<ResultTables>,
  { principal, bytes }: ResultCopy,
  mostBytes: number,
): Promise<void> {
  const sums = db.selectFrom('result').select(['principal', ({ fn }) => fn.sum<number>('bytes').as('bytes')]);
  const stored = new Map((await sums.groupBy('principal').execute()).map((row) => [row.principal, row.bytes]));
  const oldest = new Map([...stored.keys()].map((one) => [one, oldestOf(db, one)]));
  const written = resultRows.toPart({ principal }).principal ?? '';
  stored.set(written, (stored.get(written) ?? 0) + bytes);
  let total = [...stored.values()].reduce((sum, one) => sum + one, 0);
  const gone: string[] = [];
  while (total > mostBytes && oldest.size > 0) {
    const next = [...oldest.keys()].reduce((a, b) => ((stored.get(b) ?? 0) > (stored.get(a) ?? 0) ? b : a));
    const { value } = (await oldest.get(next)?.next()) ?? {};
    if (value === undefined) {
      oldest.delete(next);
      continue;
    }
    gone.push(value.id);
    stored.set(next, (stored.get(next) ?? 0) - value.bytes);
    total -= value.bytes;
  }
  await workInChunks(gone, (ids) => db.deleteFrom('result').where('id', 'in', ids).execute());
}

/** `principal`: as it is written in its column. */
async function* oldestOf(db: Kysely<ResultTables>, principal: string) {
  const all = db.selectFrom('result').select(['id', 'bytes']).where('principal', '=', principal);
  const inOrder = all.orderBy('made_at').orderBy('id').limit(rowsPerPage);
  // Nothing is removed before all are chosen.
  for (let from = 0; ; from += rowsPerPage) {
    const page = await inOrder.offset(from).execute();
    yield* page;
    if (page.length < rowsPerPage) return;
  }
}

/**
 * Copies everything from one store to another, of either kind: table by table in the order of keys, so that a copy that was cut
 * short goes on behind the last row that arrived. Then both are read again and compared. Large results, notes about
 * calls that need approval and the replicas themselves are left out.
 */

import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { redactText } from '../../base/redact.ts';
import { approvalNoteTables } from '../approval/approval-note.ts';
import { isPostgres, type SqlDatabase } from '../record.ts';
import { findReplicas, goneAfterMs, replicaTables } from '../replica/replica.ts';
import { resultTables } from '../result/result.ts';
import { migrationTable } from '../sqlite/check-database.ts';
import { copyMark } from './copy-mark.ts';

interface CopyOptions {
  /** `sqlite:` and an absolute path, or `postgres://…`. */
  readonly from: string;
  readonly to: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

interface CopyProgress {
  readonly step: 'copy' | 'compare';
  readonly rows: number;
  readonly total: number;
}

export interface CopyReport {
  readonly rows: number;
  /** Those that were there already, from a copy that was cut short. */
  readonly found: number;
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly sha256: string }[];
}

type Row = Record<string, unknown>;
type AnyKysely = Kysely<Record<string, Row>>;
/** As much of a database as a copy uses. */
type CopyEnd = SqlDatabase<Record<string, Row>> & { open(): Promise<void>; close(): Promise<void> };

interface CopyTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly keys: readonly string[];
}

const rowsPerPage = 500;

/** Neither may be in use. Throws DATA_LOCKED where gateways use one of them, STORE_BROKEN where the target has something else in it, or the copy is not equal. */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const from = await openEnd(options.from, options, false);
  try {
    const to = await openEnd(options.to, options, true);
    try {
      return await new StoreCopy(from, to, options).run();
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function openEnd(url: string, { clock, log }: CopyOptions, isCopying: boolean): Promise<CopyEnd> {
  const { PostgresDatabase } = await import('../postgres/postgres-database.ts');
  const { SqliteDatabase } = await import('../sqlite/sqlite-database.ts');
  const database = url.startsWith('postgres')
    ? new PostgresDatabase({ url, clock, log, isCopying, isPatient: true })
    : new SqliteDatabase({ file: url.replace(/^sqlite:/, ''), clock, log, isCopying });
  await database.open();
  // Tables are found by name here.
  return database as unknown as CopyEnd;
}

class StoreCopy {
  readonly #from: CopyEnd;
  readonly #to: CopyEnd;
  readonly #options: CopyOptions;

  constructor(from: CopyEnd, to: CopyEnd, options: CopyOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
  }

  async run(): Promise<CopyReport> {
    await this.#checkUnused(this.#from, this.#options.from);
    await this.#checkUnused(this.#to, this.#options.to);
    const tables = await this.#from.read(tablesOf);
    const total = await this.#count(tables);
    await this.#begin(tables);
    let [found, done] = [0, 0];
    for (const table of tables) {
      const last = await this.#to.read((db) => lastKey(db, table));
      const before = last === undefined ? 0 : await this.#to.read((db) => countRows(db, table.name));
      found += before;
      done += before;
      for await (const page of pages(this.#from, table, last)) {
        this.#options.signal.throwIfAborted();
        await this.#to.write((db) => insertRows(db as unknown as AnyKysely, table, page));
        done += page.length;
        this.#options.onProgress({ step: 'copy', rows: done, total });
      }
    }
    await this.#to.write((db) => setSequences(db as unknown as AnyKysely, tables));
    const compared = await this.#compare(tables, total);
    await this.#to.write((db) => copyMark.remove(db as unknown as AnyKysely));
    return { rows: compared.reduce((sum, { rows }) => sum + rows, 0), found, tables: compared };
  }

  /** The lock of a data folder says nothing of gateways on other machines. */
  async #checkUnused(end: CopyEnd, url: string): Promise<void> {
    const { replicas } = await end.read(findReplicas);
    if (replicas.length === 0) return;
    const names = replicas.map(({ url }) => url ?? 'a single command').join(', ');
    throw new GatewayError('DATA_LOCKED', `The store ${redactText(url)} is in use by ${names}.`, {
      hint: `Run "toolcrib stop" for each of them first. A killed gateway counts as gone after ${goneAfterMs / 1_000} seconds.`,
    });
  }

  async #count(tables: readonly CopyTable[]): Promise<number> {
    let total = 0;
    for (const { name } of tables) total += await this.#from.read((db) => countRows(db, name));
    return total;
  }

  /** Only into a store that is new, or that this copy has begun to fill. */
  async #begin(tables: readonly CopyTable[]): Promise<void> {
    const { from, to } = this.#options;
    const source = redactText(from);
    const begun = await this.#to.read((db) => copyMark.find(db));
    if (begun === source) return;
    if (begun !== undefined) throw notEmpty(to, `a copy of ${begun} into it was not finished`);
    for (const { name } of tables) {
      if (firstRows.includes(name) || (await this.#to.read((db) => countRows(db, name))) === 0) continue;
      throw notEmpty(to, `its table "${name}" has rows`);
    }
    await this.#to.write(async (db) => {
      const target = db as unknown as AnyKysely;
      for (const name of firstRows) await target.deleteFrom(name).execute();
      await copyMark.set(target, source);
    });
  }

  async #compare(tables: readonly CopyTable[], total: number): Promise<CopyReport['tables']> {
    let done = 0;
    const report: { name: string; rows: number; sha256: string }[] = [];
    for (const table of tables) {
      const source = await sumOf(this.#from, table);
      const target = await sumOf(this.#to, table);
      if (source.sha256 !== target.sha256)
        throw new GatewayError(
          'STORE_BROKEN',
          `The copy of the table "${table.name}" is not equal: ${source.rows} rows became ${target.rows}, or some differ.`,
          { hint: 'Stop whatever uses either store, empty the target and copy again.' },
        );
      done += source.rows;
      this.#options.onProgress({ step: 'compare', rows: done, total });
      report.push({ name: table.name, ...source });
    }
    return report;
  }
}

/** Tables that every new store has one row in. */
const firstRows: readonly string[] = ['roll_up', 'audit_retention'];

const leftOut: readonly string[] = [
  migrationTable,
  'migration_lock',
  copyMark.table,
  ...resultTables,
  ...approvalNoteTables,
  ...replicaTables,
];

function notEmpty(url: string, what: string): GatewayError {
  return new GatewayError('STORE_BROKEN', `Nothing was copied to ${redactText(url)}: ${what}.`, {
    hint: 'Copy to a new file, or to an empty database or schema.',
  });
}

/** Those that others refer to first. */
async function tablesOf(db: AnyKysely): Promise<CopyTable[]> {
  const keysOf = (await isPostgres(db)) ? postgresKeys : sqliteKeys;
  const found: CopyTable[] = [];
  const { sql } = await import('kysely');
  const names = (await isPostgres(db))
    ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
    : sql<{
        name: string;
      }>`select name from sqlite_master where type = 'table' and name not like 'sqlite!_%' escape '!'`;
  for (const { name } of (await names.execute(db)).rows) {
    if (leftOut.includes(name)) continue;
    found.push({ name, ...(await keysOf(db, name)) });
  }
  const rank = ({ name }: CopyTable) => (name === 'listing' ? '' : name);
  return found.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

type Shape = Omit<CopyTable, 'name'>;

async function sqliteKeys(db: AnyKysely, table: string): Promise<Shape> {
  const { sql } = await import('kysely');
  const { rows } = await sql<{ name: string; pk: number }>`select name, pk from pragma_table_info(${table})`.execute(
    db,
  );
  const keys = rows.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return { columns: rows.map(({ name }) => name).sort(), keys: keys.map(({ name }) => name) };
}

async function postgresKeys(db: AnyKysely, table: string): Promise<Shape> {
  const { sql } = await import('kysely');
  const { rows } = await sql<{ name: string; at: number | null }>`select attname as name,
      array_position(indkey::int2[], attnum) as at
    from pg_attribute left join pg_index on indrelid = attrelid and indisprimary
    where attrelid = ${`"${table}"`}::regclass and attnum > 0 and not attisdropped`.execute(db);
  const keys = rows.filter(({ at }) => at !== null).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  return { columns: rows.map(({ name }) => name).sort(), keys: keys.map(({ name }) => name) };
}

async function countRows(db: AnyKysely, table: string): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

function lastKey(db: AnyKysely, { name, keys }: CopyTable): Promise<Row | undefined> {
  let newest = db.selectFrom(name).select([...keys]);
  for (const key of keys) newest = newest.orderBy(key, 'desc');
  return newest.limit(1).executeTakeFirst();
}

/** In the order of keys, from behind one. */
async function* pages(end: CopyEnd, table: CopyTable, after?: Row): AsyncGenerator<Row[]> {
  for (let last = after; ; ) {
    const page = await end.read((db) => selectPage(db, table, last));
    if (page.length > 0) yield page;
    if (page.length < rowsPerPage) return;
    last = page.at(-1);
  }
}

async function selectPage(db: AnyKysely, { name, columns, keys }: CopyTable, last: Row | undefined): Promise<Row[]> {
  const { sql } = await import('kysely');
  let page = db
    .selectFrom(name)
    .select([...columns])
    .limit(rowsPerPage);
  for (const key of keys) page = page.orderBy(key);
  if (last === undefined) return page.execute();
  const names = sql.join(keys.map((key) => sql.ref(key)));
  return page.where(sql<boolean>`(${names}) > (${sql.join(keys.map((key) => last[key]))})`).execute();
}

async function insertRows(db: AnyKysely, { name }: CopyTable, rows: readonly Row[]): Promise<void> {
  await db
    .insertInto(name)
    .values([...rows])
    .execute();
}

/** The next id comes behind those that were ever given. SQLite sees to that by itself. */
async function setSequences(db: AnyKysely, tables: readonly CopyTable[]): Promise<void> {
  if (!(await isPostgres(db))) return;
  const { sql } = await import('kysely');
  for (const { name, keys } of tables) {
    const [key = ''] = keys;
    const found = await sql<{
      name: string | null;
    }>`select pg_get_serial_sequence(${`"${name}"`}, ${key}) as name`.execute(db);
    const sequence = found.rows[0]?.name ?? null;
    if (sequence === null) continue;
    // Rows of calls may be gone, though the sums say up to which id they go.
    const given = name === 'call' ? sql`(select greatest(watermark, given) from roll_up)` : sql`0`;
    await sql`select setval(${sequence}, greatest(max(${sql.ref(key)}), ${given}, 0) + 1, false)
      from ${sql.table(name)}`.execute(db);
  }
}

async function sumOf(end: CopyEnd, table: CopyTable): Promise<{ readonly rows: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of pages(end, table)) {
    rows += page.length;
    for (const row of page) hash.update(`${JSON.stringify(table.columns.map((column) => plain(row[column])))}\n`);
  }
  return { rows, sha256: hash.digest('hex') };
}

function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}

/** The form of a record of the store: its tables, the steps that made them, and its part of the store's interface. */

import assert from 'node:assert/strict';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Insertable, Kysely, Transaction } from 'kysely';
import type { ColumnTexts, Filter, RowShape } from './columns.ts';
import type { Sealer } from './server/server.ts';

/** `access`: tokens, projects or approvals. */
type PlainEvent = 'servers' | 'access' | 'promotions';
export type StoreEvent = { readonly type: PlainEvent } | { readonly type: 'catalog'; readonly server: string };

export type Tell = (event: StoreEvent) => void;

/** The database as a record has it. */
export interface RecordDatabase<Tables> extends SqlDatabase<Tables> {
  /** Like `write`; tells of it by itself, unless it comes to nothing: false or 0. */
  change<T>(event: PlainEvent, act: (db: Transaction<Tables>) => Promise<T>): Promise<T>;
}

export interface SqlDatabase<Tables> {
  /** Runs `act` on one unchanging state of the database; may run it again from the start. */
  read<T>(act: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Runs `act` as one transaction, alone; may run it again from the start. Resolves once it is committed; then what was told is emitted. */
  write<T>(act: (db: Transaction<Tables>, tell: Tell) => Promise<T>): Promise<T>;
  /** Seals what is secret in rows; without one it is stored as it is. */
  readonly sealer: Sealer | undefined;
}

export interface StoreRecord<Tables, Methods> {
  /** By the name of the step. Steps of one name, of several records, are one; a step that was released never changes. */
  readonly migrations: Readonly<Record<string, (db: Kysely<unknown>) => Promise<void>>>;
  open(database: RecordDatabase<Tables>): Methods;
}

/** The parts are the columns of a record, more columns in SQL, and constraints. */
export function createTable(
  db: Kysely<unknown>,
  table: string,
  ...parts: readonly (string | ColumnTexts)[]
): Promise<void> {
  const texts = parts.flatMap((part) => (typeof part === 'string' ? [part] : part.sqlOf()));
  return runSql(db, `create table "${table}" (${texts.join(', ')})`);
}

/** The columns of a record that this step added. */
export function addColumns(db: Kysely<unknown>, table: string, columns: ColumnTexts, step: string): Promise<void> {
  return runSql(db, ...columns.sqlOf(step).map((column) => `alter table "${table}" add column ${column}`));
}

/** Kysely is not imported at the top: reading the names of the steps does without. */
export async function runSql(db: Kysely<unknown>, ...statements: readonly string[]): Promise<void> {
  const { sql } = await import('kysely');
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Rows in one statement: far below every database's limit on parameters, and a few milliseconds of work. */
const rowsPerStatement = 100;

/** Works through many rows one statement's worth at a time, and gives way to the event loop in between. */
export async function workInChunks<T>(
  rows: readonly T[],
  act: (chunk: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    if (at > 0) await giveWay();
    await act(rows.slice(at, at + rowsPerStatement));
  }
}

/** Makes room in a history: of the rows that match, the newest `most` stay. */
export async function keepNewest(db: AnyTransaction, table: string, filter: AnyTable, most: number): Promise<void> {
  const newest = untyped(db)
    .selectFrom(table)
    .select('id')
    .where((where) => where.and(filter))
    .orderBy('id', 'desc');
  const oldest = await newest.offset(most).limit(1).executeTakeFirst();
  if (oldest === undefined) return;
  const beyond = untyped(db)
    .deleteFrom(table)
    .where((where) => where.and(filter));
  await beyond.where('id', '<=', oldest.id).execute();
}

/** A table of records, with the statements that most of them need. */
export class RecordTable<Value, Row> {
  readonly #name: string;
  readonly #rows: RowShape<Value, Row>;
  readonly #keys: readonly (keyof Row & string)[];
  readonly #order: string | undefined;

  /** By `keys` a record takes the place of another. Lists are in no order, unless there is a column `order`. */
  constructor(name: string, rows: RowShape<Value, Row>, keys: readonly (keyof Row & string)[], order?: string) {
    this.#name = name;
    this.#rows = rows;
    this.#keys = keys;
    this.#order = order;
  }

  /** With more columns or constraints. */
  create(db: Kysely<unknown>, ...more: readonly string[]): Promise<void> {
    return createTable(db, this.#name, this.#rows, ...more);
  }

  async list(db: AnyDatabase, filter: Filter<Value> = {}): Promise<Value[]> {
    const select = untyped(db)
      .selectFrom(this.#name)
      .select([...this.#rows.columns])
      .where((where) => where.and(this.#rows.toPart(filter)));
    const ordered = this.#order === undefined ? select : select.orderBy(this.#order);
    // The columns say what the rows hold.
    return (await ordered.execute()).map((row) => this.#rows.toRecord(row as Row));
  }

  /** Adds them, each in place of the one with the same key; of two with one key the last one counts. */
  save(db: AnyTransaction, values: readonly Value[]): Promise<void> {
    return upsert(untyped(db), this.#name, this.#keys, this.#toRows(values));
  }

  /** Like `save`, but those whose key is known stay as they are. */
  add(db: AnyTransaction, values: readonly Value[]): Promise<void> {
    return upsert(untyped(db), this.#name, this.#keys, this.#toRows(values), []);
  }

  /** Says how many there were. */
  async remove(db: AnyTransaction, filter: Filter<Value>): Promise<number> {
    const isBounded = Object.values(filter).some((value) => value !== undefined);
    assert(isBounded, 'A filter without a value would remove every record.');
    const removal = untyped(db)
      .deleteFrom(this.#name)
      .where((where) => where.and(this.#rows.toPart(filter)));
    return (await removal.returning([...this.#keys]).execute()).length;
  }

  #toRows(values: readonly Value[]): AnyTable[] {
    // A row of this table is one of any.
    return values.map((value) => this.#rows.toRow(value) as AnyTable);
  }
}

type AnyTable = Record<string, unknown>;

/** A database of any tables. */
export interface AnyDatabase {
  readonly isTransaction: boolean;
}

export interface AnyTransaction {
  readonly isTransaction: true;
}

/** Kysely cannot follow a table that is not known by name: the types of the parameters say which rows fit. */
function untyped(db: AnyDatabase): Transaction<Record<string, AnyTable>> {
  return db as unknown as Transaction<Record<string, AnyTable>>;
}

/** Adds rows; of one whose key is known it changes the columns `changed`. Of rows with one key the last one counts. */
export async function upsert<Tables, Table extends keyof Tables & string>(
  db: Transaction<Tables>,
  table: Table,
  keys: readonly (keyof Tables[Table] & string)[],
  rows: readonly Insertable<Tables[Table]>[],
  changed: readonly string[] = Object.keys(rows[0] ?? {}).filter((column) => !new Set<string>(keys).has(column)),
): Promise<void> {
  const name: string = table;
  await workInChunks(rows as readonly AnyTable[], (chunk) =>
    untyped(db)
      .insertInto(name)
      .values([...chunk])
      .onConflict((conflict) => {
        const known = conflict.columns([...keys]);
        if (changed.length === 0) return known.doNothing();
        return known.doUpdateSet((set) =>
          Object.fromEntries(changed.map((column) => [column, set.ref(`excluded.${column}`)])),
        );
      })
      .execute(),
  );
}

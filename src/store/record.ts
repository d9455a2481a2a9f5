/** The form of a record of the store: its tables, the steps that made them, and its part of the store's interface. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Insertable, Kysely, Transaction } from 'kysely';
import type { ColumnTexts } from './columns.ts';
import type { Sealer } from './server/server.ts';

/** `access`: tokens, projects or approvals. */
export type StoreEvent =
  | { readonly type: 'servers' | 'access' | 'promotions' }
  | { readonly type: 'catalog'; readonly server: string };

export type Tell = (event: StoreEvent) => void;

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
  open(database: SqlDatabase<Tables>): Methods;
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

/** Adds rows, each in place of the one with the same key; of rows with one key the last one counts. */
export async function upsert<Tables, Table extends keyof Tables & string>(
  db: Transaction<Tables>,
  table: Table,
  keys: readonly (keyof Tables[Table] & string)[],
  rows: readonly Insertable<Tables[Table]>[],
): Promise<void> {
  // The types of the parameters say which rows fit; Kysely cannot follow a table that is not known by name.
  const untyped = db as unknown as Transaction<Record<string, Record<string, unknown>>>;
  const isKey = new Set<string>(keys);
  const name: string = table;
  await workInChunks(rows as readonly Record<string, unknown>[], (chunk) => {
    const changed = Object.keys(chunk[0] ?? {}).filter((column) => !isKey.has(column));
    return untyped
      .insertInto(name)
      .values([...chunk])
      .onConflict((conflict) =>
        conflict
          .columns([...keys])
          .doUpdateSet((set) => Object.fromEntries(changed.map((column) => [column, set.ref(`excluded.${column}`)]))),
      )
      .execute();
  });
}

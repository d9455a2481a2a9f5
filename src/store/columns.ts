/** One declaration of a record's columns: makes its table, and turns records into rows and back. Rows are the same on every SQL database: booleans are 0 and 1, JSON is text. */

import assert from 'node:assert/strict';
import { GatewayError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';

/** Keeps one member of a record in a column. Methods, so that a column of a narrower type fits. */
export interface StoredColumn<Value, Kept> {
  /** Its type in SQL. */
  readonly sql: string;
  write(value: Value): Kept;
  read(kept: Kept): Value;
}

/** Turns records into rows and back. The column of `addedAt` is `added_at`, unless it is `named`. */
export interface RowShape<Value, Row> extends ColumnTexts {
  readonly columns: readonly (keyof Row & string)[];
  toRow(value: Value): Row;
  /** The columns of those members that are given. */
  toPart(filter: Filter<Value>): Partial<Row>;
  toRecord(row: Row): Value;
}

/** Everything that is named has to hold. */
export type Filter<Value> = { readonly [Member in keyof Value]?: Value[Member] | undefined };

export interface ColumnTexts {
  /** The columns in SQL that a table is made with, or those that a later step adds. */
  sqlOf(step?: string): string[];
}

type KeptIn<C> = C extends { write(value: never): infer Kept } ? Kept : never;
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';
type NameOf<C, Member> = C extends { name: infer Name extends string } ? Name : Snake<Member & string>;
type RowOf<Columns> = { [Member in keyof Columns as NameOf<Columns[Member], Member>]: KeptIn<Columns[Member]> };
/** The row of a `RowShape`. */
export type RowIn<Shape> = Shape extends RowShape<infer _, infer Found> ? Found : never;

/** Called twice, because the record is named and the columns are inferred. */
export function rowsOf<Value>() {
  return <Columns extends { readonly [Member in keyof Value]-?: StoredColumn<Value[Member], unknown> }>(
    columns: Columns,
  ): RowShape<Value, RowOf<Columns>> => {
    const all = Object.entries<AnyColumn>(columns).map(([member, column]) => {
      return { member, column, name: column.name ?? snakeOf(member) };
    });
    // `RowOf` says of `columns` what is done here.
    return {
      columns: all.map(({ name }) => name) as unknown as (keyof RowOf<Columns> & string)[],
      sqlOf: (step) =>
        all.filter(({ column }) => column.step === step).map(({ name, column }) => `"${name}" ${column.sql}`),
      toRow(value) {
        const row: Record<string, unknown> = {};
        for (const { member, column, name } of all) row[name] = column.write(value[member as keyof Value]);
        return row as RowOf<Columns>;
      },
      toPart(filter) {
        const row: Record<string, unknown> = {};
        for (const { member, column, name } of all) {
          const value = filter[member as keyof Value];
          if (value !== undefined) row[name] = column.write(value);
        }
        return row as Partial<RowOf<Columns>>;
      },
      toRecord(row) {
        const value: Record<string, unknown> = {};
        for (const { member, column, name } of all) value[member] = column.read((row as Record<string, unknown>)[name]);
        return value as Value;
      },
    };
  };
}

type AnyColumn = StoredColumn<unknown, unknown> & { readonly name?: string; readonly step?: string };

function snakeOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Text of strangers. */
export const asText: StoredColumn<string, string> = { sql: 'text not null', write: toText, read: fromText };
export const asJson: StoredColumn<JsonObject, string> = { sql: 'text not null', write: toJson, read: fromJson };
/** A whole number. */
export const asNumber: StoredColumn<number, number> = asItIs('bigint not null');
/** Never one that is not a number, which only some databases refuse. */
export const asFraction: StoredColumn<number, number> = {
  sql: 'double precision not null',
  write(value) {
    assert(Number.isFinite(value), 'A fraction is a number.');
    return value;
  },
  read: (kept) => kept,
};
export const asBytes: StoredColumn<Uint8Array, Uint8Array> = asItIs('blob not null');
export const asFlag: StoredColumn<boolean, number> = {
  sql: 'integer not null',
  write: (value) => (value ? 1 : 0),
  read: (kept) => kept === 1,
};
/** Empty for null, because a key tells one null from another. */
export const asKeyText: StoredColumn<string | null, string> = {
  sql: 'text not null',
  write: (value) => toText(value ?? ''),
  read: (kept) => (kept === '' ? null : fromText(kept)),
};
/** A damaged row must never read as a wider right than the one that was written. */
export const asTexts: StoredColumn<readonly string[], string> = {
  sql: 'text not null',
  write: (value) => JSON.stringify(value),
  read(kept) {
    const value = parseBody(kept);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw damaged();
  },
};
/** Our own words, such as a kind or a fingerprint: nothing else is ever written. */
export function asWord<Word extends string = string>(): StoredColumn<Word, string> {
  return { sql: 'text not null', write: (value) => value, read: (kept) => kept as Word };
}

/** JSON of any form that nobody else writes. */
export function asBody<Body>(): StoredColumn<Body, string> {
  return { sql: 'text not null', write: (value) => JSON.stringify(value), read: (kept) => parseBody(kept) as Body };
}

export function orNull<Value, Kept>(column: StoredColumn<Value, Kept>): StoredColumn<Value | null, Kept | null> {
  return {
    sql: column.sql.replace(' not null', ''),
    write: (value) => (value === null ? null : column.write(value)),
    read: (kept) => (kept === null ? null : column.read(kept)),
  };
}

export function named<const Name extends string, Value, Kept>(name: Name, column: StoredColumn<Value, Kept>) {
  return { ...column, name };
}

/** The key of its table by itself. */
export function primary<Value, Kept>(column: StoredColumn<Value, Kept>): StoredColumn<Value, Kept> {
  return { ...column, sql: column.sql.replace('not null', 'primary key') };
}

/** Marks a column that a later step adds: nullable, because rows from before have none. */
export function since<Column extends { readonly sql: string }>(step: string, column: Column) {
  return { ...column, step };
}

function asItIs<Value>(sql: string): StoredColumn<Value, Value> {
  return { sql, write: (value) => value, read: (kept) => kept };
}

/**
 * Text of strangers in a form that every database keeps to the letter. PostgreSQL refuses NUL and UTF-8 has no lone
 * surrogates, so such text (and text that looks like the escaped form) is stored as a JSON string.
 */
export function toText(value: string): string {
  if (value.isWellFormed() && !value.includes('\0') && !value.startsWith('"')) return value;
  return JSON.stringify(value);
}

export function fromText(kept: string): string {
  return kept.startsWith('"') ? String(JSON.parse(kept)) : kept;
}

export function toJson(value: JsonObject): string {
  return JSON.stringify(value);
}

/** A damaged row must not mislead: throws STORE_BROKEN for what is not an object. */
export function fromJson(kept: string): JsonObject {
  const value = parseBody(kept);
  // An object from JSON.parse holds nothing but JSON.
  if (isObject(value)) return value as JsonObject;
  throw damaged();
}

/** Throws STORE_BROKEN for text that is not JSON. */
function parseBody(kept: string): unknown {
  try {
    return JSON.parse(kept);
  } catch {
    throw damaged();
  }
}

function damaged(): GatewayError {
  return new GatewayError('STORE_BROKEN', 'A row of the store does not hold the JSON that was written to it.', {
    hint: 'Restore a backup of the store.',
  });
}

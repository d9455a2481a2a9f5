/** Kysely on node:sqlite: the stock SQLite dialect with a thin adapter, and transactions that take the write lock at once. */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from '../records.ts';
import { migrationTable } from './check-database.ts';

/** `destroy()` of the result closes the connection. */
export function createKysely(connection: DatabaseSync): Kysely<never> {
  const dialect: Dialect = {
    createAdapter: () => new NodeSqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely<never>({ dialect });
}

/** Runs the steps that the database lacks, all in one transaction. */
export async function migrateToLatest(db: Kysely<never>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: migrationTable,
    migrationLockTableName: 'migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Of each connection; lists of values of different lengths are different statements. */
const mostPreparedStatements = 200;

class NodeSqliteDriver extends SqliteDriver {
  readonly #connection: DatabaseSync;

  constructor(connection: DatabaseSync) {
    // To prepare a statement costs more than to run most of them.
    const prepared = new Map<string, SqliteStatement>();
    const statementOf = (sql: string) => {
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      if (prepared.size >= mostPreparedStatements) prepared.clear();
      const statement = prepare(connection, sql);
      prepared.set(sql, statement);
      return statement;
    };
    super({ database: { prepare: statementOf, close: () => connection.close() } });
    this.#connection = connection;
  }

  /** A write transaction is refused at its start or not at all: a busy database never stops it half way. */
  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /** After some errors (a full disk) SQLite has rolled back by itself; a second time would hide the first error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await super.rollbackTransaction(connection);
  }
}

class NodeSqliteAdapter extends SqliteAdapter {
  /** SQLite's tables can be made in a transaction; the stock adapter does not use it. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

function prepare(connection: DatabaseSync, sql: string): SqliteStatement {
  const statement = connection.prepare(sql);
  // Kysely passes on the values given to it, and the tables admit only text, numbers, bytes and null.
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    // One that is being read row by row cannot be used for anything else meanwhile.
    iterate: (parameters) => connection.prepare(sql).iterate(...values(parameters)),
  };
}

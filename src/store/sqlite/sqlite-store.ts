/** The store in one SQLite file: the default, for one gateway on one machine. */

import { openRecords } from '../records.ts';
import type { Store } from '../store.ts';
import { SqliteDatabase, type SqliteOptions } from './sqlite-database.ts';

/** Nothing happens before `open()`, which also makes the folder and the file where they are missing. */
export function createSqliteStore(options: SqliteOptions): Store {
  const database = new SqliteDatabase(options);
  return Object.assign(database, openRecords(database));
}

/** The store in one SQLite file: the default, for one gateway on one machine. */

import { SqlStore } from '../sql-store.ts';
import type { Store } from '../store.ts';
import { SqliteDatabase, type SqliteOptions } from './sqlite-database.ts';

/** Nothing happens before `open()`, which also makes the folder and the file where they are missing. */
export function createSqliteStore(options: SqliteOptions): Store {
  return new SqlStore(new SqliteDatabase(options), options.sealer);
}

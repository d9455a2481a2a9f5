/** The connection through which a store reads and writes its SQLite file; calls are written through another one. */

import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Kysely } from 'kysely';
import { addLatencyFunctions } from '../call/fresh-calls.ts';

/**
 * With a log and `normal`, what was committed survives the death of the process, and a commit never waits for the disk.
 * Checkpoints are the `Checkpointer`'s, so SQLite's own are off.
 */
export const pragmas = 'pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma trusted_schema = off';

export interface Connection {
  readonly db: Kysely<never>;
  close(): void;
}

/** Kysely is not imported at the top, because it takes longer to load than everything else and many commands do without. */
export const loadDialect = () => import('./sqlite-dialect.ts');

export async function connect(file: string, { isBehind }: { isBehind: boolean }): Promise<Connection> {
  const { createKysely, migrateToLatest } = await loadDialect();
  const connection = new DatabaseSync(writableUrl(file), { timeout: 0 });
  try {
    connection.exec(pragmas);
    addLatencyFunctions(connection);
    const db = createKysely(connection);
    if (isBehind) await migrateToLatest(db);
    return { db, close: () => connection.close() };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** A file that vanished after it was checked must not be made again. */
export function writableUrl(file: string): URL {
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  return url;
}

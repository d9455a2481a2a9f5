/** One write transaction on a connection whose statements do not wait for the event loop. */

import type { DatabaseSync } from 'node:sqlite';

/** Whatever `act` throws leaves nothing written. */
export function inTransaction<T>(connection: DatabaseSync, act: () => T): T {
  connection.exec('begin immediate');
  try {
    const result = act();
    connection.exec('commit');
    return result;
  } catch (error) {
    // After some errors (a full disk) SQLite has rolled back by itself; a second time would hide the first error.
    if (connection.isTransaction) connection.exec('rollback');
    throw error;
  }
}

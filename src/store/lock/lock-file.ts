/** An exclusive lock on a file that the operating system drops when its process dies, however it dies. SQLite does the locking, on every platform. */
// Nothing else may open the file: closing any of its descriptors would drop a POSIX lock that this process holds.

import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { isBusy } from '../sqlite/sqlite-errors.ts';

/** Locks that are held: an object that nobody refers to would be collected, and its lock with it. */
const held = new Set<DatabaseSync>();

/** Returns the function that releases the lock, or undefined while somebody holds it or looks at it. The file stays empty. */
export function tryLockFile(file: string): (() => void) | undefined {
  const connection = connect(file, 'begin exclusive', {});
  if (connection === undefined) return undefined;
  // SQLite made it for everybody to read, who could then hold it; changing its mode opens nothing.
  chmodSync(file, 0o600);
  held.add(connection);
  return () => {
    if (held.delete(connection)) connection.close();
  };
}

/** Looks without taking the lock. Needs the file to be there. */
export function isFileLocked(file: string): boolean {
  const connection = connect(file, 'select 1 from sqlite_schema', { readOnly: true });
  connection?.close();
  return connection === undefined;
}

/** Undefined when the statement was refused because of a lock. */
function connect(file: string, statement: string, options: { readOnly?: boolean }): DatabaseSync | undefined {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(file, { ...options, timeout: 0 });
    // Nothing is ever written, so there is nothing to keep a journal of.
    connection.exec(`pragma journal_mode = memory; ${statement}`);
    return connection;
  } catch (error) {
    connection?.close();
    if (isBusy(error)) return undefined;
    throw new GatewayError('STORE_BROKEN', `The file ${file} cannot be locked (${messageOf(error)}).`, {
      hint: 'The data folder must be writable, on a disk that supports file locks; a damaged lock file may be deleted while no gateway runs.',
      cause: error,
      data: { file },
    });
  }
}

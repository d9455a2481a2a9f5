/** Seals the specs that an earlier version stored as they are, and leaves nothing of them in the file or its log. */

import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { isPlain, type Sealer, sealSpec } from './sealed-servers.ts';

/** In SQLite's own version field: the file was rewritten once, so that it holds nothing of what was removed before. */
const scrubbed = 1;

/** Done before the store is used. Whatever fails here leaves the rows as they were, and is tried again at the next start. */
export async function sealPlainServers(file: string, sealer: Sealer, log: Log): Promise<void> {
  using connection = new DatabaseSync(file, { timeout: 0 });
  const found = connection.prepare('select name, spec from server').all();
  const rows = found
    .map(({ name, spec }) => ({ name: String(name), spec: String(spec) }))
    .filter(({ spec }) => isPlain(spec));
  const sealed = await Promise.all(rows.map(({ name, spec }) => sealSpec(sealer, name, spec)));
  const isScrubbed = Number(connection.prepare('pragma user_version').get()?.user_version) >= scrubbed;
  if (rows.length === 0 && isScrubbed) return;
  connection.exec('pragma secure_delete = on; begin immediate');
  try {
    const update = connection.prepare('update server set spec = ? where name = ? and spec = ?');
    for (const [index, { name, spec }] of rows.entries()) update.run(sealed[index] ?? spec, name, spec);
    connection.exec('commit');
  } catch (error) {
    connection.exec('rollback');
    throw error;
  }
  scrub(connection, file, log);
}

/** Rewrites the file, because pages keep what was removed from them, and empties the log, which has the old pages. */
function scrub(connection: DatabaseSync, file: string, log: Log): void {
  try {
    connection.exec(`vacuum; pragma user_version = ${scrubbed}; pragma wal_checkpoint(truncate)`);
  } catch (error) {
    // A full disk, or a reader: the rows are sealed, and their traces go at a later start.
    log.warn('Traces of earlier versions could not be removed from the store yet.', { file, error: messageOf(error) });
  }
}

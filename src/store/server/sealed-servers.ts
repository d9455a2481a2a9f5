/** Specs of stored servers at rest: they hold keys and tokens, so that they are sealed whole. Those of earlier versions are sealed when the store opens. */

import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';

/** The part of a vault that is needed. Something sealed for one purpose cannot be unsealed for another. */
export interface Sealer {
  seal(text: string, purpose: string): Promise<string>;
  unseal(sealed: string, purpose: string): Promise<string>;
}

export function sealSpec(sealer: Sealer | undefined, server: string, spec: string): Promise<string> {
  return sealer === undefined ? Promise.resolve(spec) : sealer.seal(spec, purposeOf(server));
}

/** The spec as JSON. */
export async function unsealSpec(sealer: Sealer | undefined, server: string, spec: string): Promise<string> {
  return sealer === undefined || isPlain(spec) ? spec : sealer.unseal(spec, purposeOf(server));
}

/** Earlier versions stored specs as they are: JSON objects. */
function isPlain(spec: string): boolean {
  return spec.startsWith('{');
}

function purposeOf(server: string): string {
  return `server:${server}`;
}

/** In SQLite's own version field: the file was rewritten once, so that it holds nothing of what was removed before. */
const scrubbed = 1;

/** Runs before the store is used. A failure leaves the rows as they were; the next start tries again. */
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

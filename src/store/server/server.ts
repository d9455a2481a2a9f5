/** Servers that were added at run time, and which servers were switched on or off; those of the config file are not stored. Specs hold keys and tokens, so they are sealed whole. */

import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { fromJson, toJson } from '../columns.ts';
import { deleteListing, type ListingTables } from '../listing/listing.ts';
import { createTable, type StoreRecord, upsert } from '../record.ts';
import { replaceSecrets, type SecretTables } from '../secret/secret.ts';

export interface StoredServer {
  readonly name: string;
  /** The server in the form of one `mcpServers` member, as it was given. */
  readonly spec: JsonObject;
  readonly addedAt: number;
}

export interface ServerStore {
  listServers(): Promise<StoredServer[]>;
  /** Adds or replaces. */
  saveServer(server: StoredServer): Promise<void>;
  /** Removes the server with its listing and switch; its history and the uses of its tools stay. False when there was none. */
  removeServer(name: string): Promise<boolean>;
  /** Servers, from the file or added, that the owner switched off or on at run time: overrides `enabled` of the spec. */
  listSwitches(): Promise<ReadonlyMap<string, boolean>>;
  saveSwitch(server: string, isEnabled: boolean): Promise<void>;
}

interface ServerTables extends ListingTables, SecretTables {
  server: { name: string; spec: string; added_at: number };
  switch: { server: string; is_enabled: number };
}

export const serverRecord: StoreRecord<ServerTables, ServerStore> = {
  migrations: {
    async '0001-servers-and-listings'(db) {
      await createTable(db, 'server', '"name" text primary key, "spec" text not null, "added_at" bigint not null');
      // No reference to `server`: the servers of the config file have switches and listings too.
      await createTable(db, 'switch', '"server" text primary key, "is_enabled" integer not null');
    },
  },
  open: ({ read, write, sealer }) => ({
    async listServers() {
      const rows = await read((db) => db.selectFrom('server').selectAll().execute());
      const servers = rows.map(async ({ name, spec, added_at }) => {
        return { name, spec: fromJson(await unsealSpec(sealer, name, spec)), addedAt: added_at };
      });
      return (await Promise.all(servers)).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async saveServer({ name, spec, addedAt }) {
      const sealed = await sealSpec(sealer, name, toJson(spec));
      await write(async (db, tell) => {
        await upsert(db, 'server', ['name'], [{ name, spec: sealed, added_at: addedAt }]);
        tell({ type: 'servers' });
      });
    },
    removeServer: (name) =>
      write(async (db, tell) => {
        const removed = await db.deleteFrom('server').where('name', '=', name).returning('name').execute();
        if (removed.length === 0) return false;
        await db.deleteFrom('switch').where('server', '=', name).execute();
        await replaceSecrets(db, `oauth/${name}/`, []);
        tell({ type: 'servers' });
        await deleteListing(db, name, tell);
        return true;
      }),
    listSwitches: () =>
      read(async (db) => {
        const rows = await db.selectFrom('switch').selectAll().execute();
        return new Map(rows.map((row) => [row.server, row.is_enabled === 1]));
      }),
    saveSwitch: (server, isEnabled) =>
      write(async (db, tell) => {
        await upsert(db, 'switch', ['server'], [{ server, is_enabled: isEnabled ? 1 : 0 }]);
        tell({ type: 'servers' });
      }),
  }),
};

/** The part of a vault that is needed. Something sealed for one purpose cannot be unsealed for another. */
export interface Sealer {
  seal(text: string, purpose: string): Promise<string>;
  unseal(sealed: string, purpose: string): Promise<string>;
}

function sealSpec(sealer: Sealer | undefined, server: string, spec: string): Promise<string> {
  return sealer === undefined ? Promise.resolve(spec) : sealer.seal(spec, purposeOf(server));
}

/** The spec as JSON. */
async function unsealSpec(sealer: Sealer | undefined, server: string, spec: string): Promise<string> {
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

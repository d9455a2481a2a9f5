/** Servers that were added at run time, and which servers were switched on or off; those of the config file are not stored. Specs hold keys and tokens, so they are sealed whole. */

import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { asFlag, asNumber, asWord, fromJson, primary, rowsOf, toJson } from '../columns.ts';
import { deleteListing, type ListingTables } from '../listing/listing.ts';
import { RecordTable, type StoreRecord } from '../record.ts';
import { replaceSecrets } from '../secret/secret.ts';

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

/** The spec as JSON, or sealed. */
const serverRows = rowsOf<Omit<StoredServer, 'spec'> & { readonly spec: string }>()({
  name: primary(asWord()),
  spec: asWord(),
  addedAt: asNumber,
});
const switchRows = rowsOf<{ readonly server: string; readonly isEnabled: boolean }>()({
  server: primary(asWord()),
  isEnabled: asFlag,
});
const servers = new RecordTable('server', serverRows, ['name']);
const switches = new RecordTable('switch', switchRows, ['server']);

export const serverRecord: StoreRecord<ListingTables, ServerStore> = {
  migrations: {
    async '0001-servers-and-listings'(db) {
      await servers.create(db);
      // No reference to `server`: the servers of the config file have switches and listings too.
      await switches.create(db);
    },
  },
  sealed: async (db) => (await servers.list(db)).map(({ spec }) => spec).filter((spec) => !isPlain(spec)),
  open: ({ read, write, change, sealer }) => ({
    async listServers() {
      const kept = await read((db) => servers.list(db));
      const found = kept.map(async ({ spec, ...server }) => {
        return { ...server, spec: fromJson(await unsealSpec(sealer, server.name, spec)) };
      });
      return (await Promise.all(found)).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async saveServer(server) {
      const spec = await sealSpec(sealer, server.name, toJson(server.spec));
      await change('servers', (db) => servers.save(db, [{ ...server, spec }]));
    },
    removeServer: (name) =>
      write(async (db, tell) => {
        if ((await servers.remove(db, { name })) === 0) return false;
        await switches.remove(db, { server: name });
        await replaceSecrets(db, `oauth/${name}/`, [], tell);
        tell({ type: 'servers' });
        await deleteListing(db, name, tell);
        return true;
      }),
    async listSwitches() {
      const all = await read((db) => switches.list(db));
      return new Map(all.map(({ server, isEnabled }) => [server, isEnabled]));
    },
    saveSwitch: (server, isEnabled) => change('servers', (db) => switches.save(db, [{ server, isEnabled }])),
  }),
};

/** The part of a vault that is needed. Something sealed for one purpose cannot be unsealed for another. */
export interface Sealer {
  seal(text: string, purpose: string): Promise<string>;
  unseal(sealed: string, purpose: string): Promise<string>;
  /** Throws STORE_BROKEN unless each of these texts has its key here, or the sealing key sealed some of them. From then on, no new key is made. */
  holdKeysOf(sealed: readonly string[]): Promise<void>;
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

/** In SQLite's own version field: the file was sealed from the start, or rewritten once, so that it holds nothing of what was removed before. */
export const scrubbed = 1;

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

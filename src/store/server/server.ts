/** Servers that were added at run time, and which servers were switched on or off; those of the config file are not stored. */

import type { JsonObject } from '../../base/json.ts';
import { fromJson, toJson } from '../columns.ts';
import { deleteListing, type ListingTables } from '../listing/listing-table.ts';
import { createTable, type StoreRecord, upsert } from '../record.ts';
import { replaceSecrets, type SecretTables } from '../secret/secret.ts';
import { sealSpec, unsealSpec } from './sealed-servers.ts';

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

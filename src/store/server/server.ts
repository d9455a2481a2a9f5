/** Servers that were added at run time, and which servers were switched on or off; those of the config file are not stored. */

import type { JsonObject } from '../../base/json.ts';

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

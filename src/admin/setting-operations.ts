/** Operations on the settings of one server: read them all, or change some while it runs. */

import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { redactText } from '../base/redact.ts';
import type { ServerEntry } from '../catalog/catalog.ts';
import {
  categoryNames,
  hasSameLinks,
  permissionNames,
  refuseDangerousVariables,
  type ServerSpec,
  sameServer,
  secretsOf,
  upgradePolicies,
} from '../config/config.ts';
import {
  type ConnectionChanges,
  changedConnection,
  connectionInput,
  type WrittenConnection,
  writtenConnection,
} from './change-connection.ts';
import { changedBlock, describeEdit, refuseUnknownNames } from './change-settings.ts';
import { type AdminContext, operation } from './operation.ts';
import { listedOrExited, outcome, type ServerOutcome } from './server-operations.ts';

const name = z.string().min(1);
const number = z.number().nullable().optional();
const text = z.string().nullable().optional();

/** Left out: stays as it is. null: back to the default; a member of a table that is null is taken out of it. */
const settingsInput = z.strictObject({
  name,
  title: text,
  description: text,
  /** The only tools that are exposed; null: all. */
  tools: z.array(z.string()).min(1).nullable().optional(),
  permissions: z.record(z.string(), z.enum(permissionNames).nullable()).nullable().optional(),
  aliases: z.record(z.string(), z.string().nullable()).nullable().optional(),
  category: z.enum(categoryNames).nullable().optional(),
  upgrades: z.enum(upgradePolicies).nullable().optional(),
  timeoutMs: number,
  cacheTtlMs: number,
  idleMs: number,
  maxConcurrent: number,
});

/** The settings to change, without the name of the server. */
export type SettingChanges = Omit<z.output<typeof settingsInput>, 'name'>;

export const connectionMembers = {
  connection: connectionInput,
  /** True if a person confirms variables that change which code runs, such as PATH. */
  allowEnv: z.boolean().default(false),
};

/** How a server is reached, with secrets masked: of its environment and headers only the names. */
type Connection =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string | null;
      readonly env: readonly string[];
    }
  | { readonly url: string; readonly headers: readonly string[] };

export interface ServerDetails extends ServerOutcome {
  /** Where its entry stands in the config file; null where it was added at run time. */
  readonly place: string | null;
  readonly connection: Connection;
  /** The same as it was written, to be changed; null where it cannot be. */
  readonly written: WrittenConnection | null;
  /** By the names that they have in the config file. null: the default. */
  readonly settings: Settings;
  /** Tools that the server has and that are not exposed. */
  readonly hiddenTools: readonly string[];
}

type Settings = ReturnType<typeof settingsOf>;

export const settingOperations = {
  'servers.show': operation({
    summary: 'One server in detail, with its settings',
    audit: 'none',
    input: z.strictObject({ name }),
    run: ({ context, input }) => serverDetails(context, input.name),
  }),
  'servers.set': operation({
    summary: 'Change a server that was added: connection, tools, permissions, aliases, category, limits, title',
    input: settingsInput.extend({ ...connectionMembers, connection: connectionInput.optional() }),
    async run({
      context,
      input: { name: wanted, connection = {}, allowEnv, ...changes },
    }): Promise<ServerDetails & { readonly isChanged: boolean }> {
      const { registry, catalog } = context;
      const before = registry.find(wanted);
      const change = (spec: ServerSpec, raw: JsonObject) => {
        refuseUnknownNames(spec, catalog.snapshot.servers.get(wanted), changes);
        return changedBlock(spec, withConnection(wanted, raw, connection, allowEnv), changes);
      };
      const after = await registry.set(wanted, change, describeEdit({ ...changes, connection }));
      if (after.isEnabled && !hasSameLinks(before, after)) await listedOrExited(context, wanted);
      return { ...(await serverDetails(context, wanted)), isChanged: !sameServer(before, after) };
    },
  }),
};

/** Variables that are there already were confirmed when they were set. */
export function withConnection(
  server: string,
  raw: JsonObject,
  changes: ConnectionChanges,
  allowEnv: boolean,
): JsonObject {
  if (Object.keys(changes).length === 0) return raw;
  const given = Object.entries(changes.env ?? {}).flatMap(([variable, value]) => (value === null ? [] : variable));
  if (!allowEnv) refuseDangerousVariables(server, given);
  return changedConnection(raw, changes);
}

export async function serverDetails(context: AdminContext, wanted: string): Promise<ServerDetails> {
  const spec = context.registry.find(wanted);
  const entry: ServerEntry | undefined = context.catalog.snapshot.servers.get(wanted);
  const raw = context.registry.entryOf(wanted);
  return {
    ...(await outcome(context, wanted)),
    place: context.registry.positionInFile(wanted),
    connection: connectionOf(spec),
    written: raw && writtenConnection(raw),
    settings: settingsOf(spec),
    hiddenTools: [...(entry?.hiddenTools.keys() ?? [])],
  };
}

function settingsOf(spec: ServerSpec) {
  const { title, description, projects, tools, category, upgrades } = spec;
  const { timeoutMs, cacheTtlMs, idleMs, maxConcurrent, perSession } = spec;
  return {
    ...{ title, description, projects, tools, category, upgrades },
    ...{ timeoutMs, cacheTtlMs, idleMs, maxConcurrent, perSession },
    permissions: Object.fromEntries(spec.permissions),
    aliases: Object.fromEntries(spec.aliases),
    categories: Object.fromEntries(spec.categories),
  };
}

function connectionOf({ transport: used, identity }: ServerSpec): Connection {
  // References to secrets are shown as they were written.
  const transport = identity ?? used;
  const masked = (value: string) => redactText(value, secretsOf(used));
  if (transport.kind !== 'stdio') return { url: masked(transport.url), headers: Object.keys(transport.headers) };
  const { command, args, cwd, env } = transport;
  return { command: masked(command), args: args.map(masked), cwd, env: Object.keys(env) };
}

/** From the settings that somebody wants changed to the new entry of a server; names that no tool has are refused. */

import { GatewayError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { isAmong, isPattern } from '../base/pattern.ts';
import { foldName } from '../base/text.ts';
import type { ServerEntry } from '../catalog/catalog.ts';
import type { ServerSpec } from '../config/config.ts';
import type { ConnectionChanges } from './change-connection.ts';
import type { SettingChanges } from './setting-operations.ts';

interface EditedConnection {
  readonly connection?: ConnectionChanges;
}

type Table = Readonly<Record<string, string | null>> | null;

/** The server's entry with the changes made. Keys of other agents for the same settings give way to ours. */
export function changedBlock(spec: ServerSpec, raw: JsonObject, changes: SettingChanges): JsonObject {
  const { tools, permissions, aliases, ...plain } = changes;
  const block = new Map<string, Json | undefined>(Object.entries(raw));
  const put = (key: string, value: Json | undefined, ...others: readonly string[]) => {
    if (value === undefined) return;
    for (const other of others) block.delete(other);
    if (value === null) block.delete(key);
    else block.set(key, value);
  };
  for (const [key, value] of Object.entries(plain)) put(key, value);
  put('tools', tools, 'includeTools');
  put('permissions', permissions && merged(spec.permissions, permissions), 'excludeTools', 'disabledTools');
  put('aliases', aliases && merged(spec.aliases, aliases));
  return Object.fromEntries(block);
}

/** null: nothing is left. */
function merged(before: ReadonlyMap<string, string>, changes: NonNullable<Table>): Record<string, string> | null {
  const after = new Map(before);
  for (const [key, value] of Object.entries(changes))
    if (value === null) after.delete(key);
    else after.set(key, value);
  return after.size === 0 ? null : Object.fromEntries(after);
}

/** The same changes as what to write into the config file; values of the connection, which may be secrets, are left out. */
export function describeEdit({ connection = {}, ...changes }: SettingChanges & EditedConnection): string {
  const parts = Object.entries(changes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (value === null) return [key === 'tools' ? '"tools": null' : `no "${key}"`];
    if (typeof value !== 'object' || Array.isArray(value)) return [`"${key}": ${JSON.stringify(value)}`];
    const kept = Object.entries(value).filter(([, item]) => item !== null);
    const gone = Object.entries(value).filter(([, item]) => item === null);
    const written = kept.length === 0 ? [] : [`"${key}": ${JSON.stringify(Object.fromEntries(kept))}`];
    return [...written, ...gone.map(([item]) => `no "${item}" in "${key}"`)];
  });
  return [...Object.keys(connection).map((key) => `another "${key}"`), ...parts].join(', ');
}

/** Throws TOOL_NOT_FOUND with the nearest name. Patterns may fit nothing yet, and of a server never listed nothing is known. */
export function refuseUnknownNames(spec: ServerSpec, entry: ServerEntry | undefined, changes: SettingChanges): void {
  refuseMissing(spec, 'permission', spec.permissions, changes.permissions);
  refuseMissing(spec, 'alias', spec.aliases, changes.aliases);
  if (entry === undefined || entry.listedAt === null) return;
  const own = ownTools(entry);
  const permitted = Object.entries(changes.permissions ?? {}).flatMap(([tool, value]) => (value === null ? [] : tool));
  const targets = Object.values(changes.aliases ?? {}).filter((target) => target !== null);
  const unknown = [...[...(changes.tools ?? []), ...permitted].filter((tool) => !isPattern(tool)), ...targets].find(
    (tool) => !own.includes(tool),
  );
  if (unknown === undefined) return;
  const target = spec.aliases.get(unknown);
  const hint =
    target === undefined
      ? didYouMean(unknown, own, `"toolcrib show ${spec.name}" lists its tools.`)
      : `"${unknown}" is an alias: name the tool, "${target}".`;
  const data = { nearest: nearest(unknown, own) };
  throw new GatewayError('TOOL_NOT_FOUND', `Server "${spec.name}" has no tool "${unknown}".`, { hint, data });
}

/** An entry to take out must exist: a typo would otherwise change nothing in silence. */
function refuseMissing(
  { name }: ServerSpec,
  what: string,
  before: ReadonlyMap<string, string>,
  changes: Table | undefined,
): void {
  const missing = Object.entries(changes ?? {}).find(([key, value]) => value === null && !before.has(key))?.[0];
  if (missing === undefined) return;
  const hint = didYouMean(missing, [...before.keys()], `"toolcrib show ${name}" shows its settings.`);
  throw new GatewayError('USAGE', `Server "${name}" has no ${what} "${missing}".`, { hint });
}

/** Settings for tools that the server does not have, and so without effect, in words. */
export function noteUnmatched(entry: ServerEntry): string[] {
  const { spec, listedAt } = entry;
  const named = [...(spec.tools ?? []), ...spec.aliases.values()];
  const given = [...named, ...spec.permissions.keys()];
  if (given.length === 0) return [];
  if (listedAt === null) return [`The tools of "${spec.name}" are not known yet, so their names were not checked.`];
  const own = ownTools(entry);
  // Permissions count for names that fold to the same.
  const folded = own.map(foldName);
  const fits = (text: string) =>
    own.some((tool) => isAmong([text], tool)) ||
    (!named.includes(text) && folded.some((tool) => isAmong([foldName(text)], tool)));
  const unmatched = [...new Set(given)].filter((text) => !fits(text));
  return unmatched.map((text) =>
    `Server "${spec.name}" has no tool "${text}" now. ${isPattern(text) ? '' : didYouMean(text, own, '')}`.trim(),
  );
}

/** Names by which the server knows its tools, exposed or not. */
export function ownTools({ spec, tools, hiddenTools, heldTools }: ServerEntry): string[] {
  const others = [...hiddenTools.keys(), ...heldTools].filter((tool) => !spec.aliases.has(tool));
  return [...new Set([...tools.map((tool) => tool.serverName), ...others])];
}

function didYouMean(wanted: string, names: readonly string[], otherwise: string): string {
  const [best] = nearest(wanted, names, 1);
  return best === undefined ? otherwise : `Did you mean "${best}"?`;
}

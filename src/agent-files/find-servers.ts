/** Finds the servers in the config files of agents, as our settings. Never writes to a file of an agent. */

import { parseEnv } from 'node:util';
import { GatewayError, messageOf } from '../base/errors.ts';
import { expandHome } from '../base/folders.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { readOthersFile } from '../base/others-file.ts';
import { limits, parseServer } from '../config/config.ts';
import { type AgentMachine, pathStyle } from './agent-machine.ts';
import { type Agent, type AgentFile, type AgentId, type AgentScope, agents } from './agents.ts';
import { entriesOf } from './edit-entry.ts';
import type { Installation } from './installation.ts';
import { isLoopbackName, isOwnForm, ownEntry } from './own-entry.ts';
import { mostBytesOf, parseAgentFile } from './parse-file.ts';
import { escaped, translateText } from './references.ts';

export interface AgentServer {
  readonly agent: AgentId;
  readonly scope: AgentScope;
  readonly file: string;
  /** As it is written there. */
  readonly name: string;
  /** A member of `mcpServers`; null: it can't run here. */
  readonly settings: JsonObject | null;
  /** Why not. */
  readonly reason: string | null;
  /** Parts that are left out, as full sentences. */
  readonly notes: readonly string[];
}

/** A file that can't be read, as a message that begins with its path. */
export interface FileTrouble {
  readonly agent: AgentId;
  readonly file: string;
  readonly message: string;
}

export interface AgentServers {
  readonly servers: readonly AgentServer[];
  readonly troubles: readonly FileTrouble[];
  /** Files that are there and could be read. */
  readonly files: readonly Pick<AgentServer, 'agent' | 'scope' | 'file'>[];
}

/** Reads every file of these agents. A broken one does not keep the others from being read. Entries that lead to the gateway are left out. */
export async function findServers(ids: readonly AgentId[], machine: AgentMachine): Promise<AgentServers> {
  const servers: AgentServer[] = [];
  const troubles = new Map<string, FileTrouble>();
  const places = new Set<string>();
  const files = new Map<string, AgentServers['files'][number]>();
  for (const agent of ids) {
    for (const row of agents[agent].files) {
      const file = row.path(machine);
      // In the home folder, files of a project are those of the user.
      const place = JSON.stringify([file, row.servers(machine)]);
      if (troubles.has(file) || places.has(place)) continue;
      places.add(place);
      try {
        const mostBytes = mostBytesOf(row.format);
        const read = await readOthersFile(file, { mostBytes, signal: machine.signal });
        if (read === undefined) continue;
        const value = parseAgentFile(file, read.bytes, row.format);
        if (!files.has(file)) files.set(file, { agent, scope: row.scope, file });
        for (const found of await serversIn(value, row, agents[agent], machine)) {
          servers.push({ agent, scope: row.scope, file, ...found });
        }
      } catch (error) {
        if (!(error instanceof GatewayError) || machine.signal?.aborted) throw error;
        troubles.set(file, { agent, file, message: error.message });
      }
    }
  }
  return { servers, troubles: [...troubles.values()], files: [...files.values()] };
}

/** The entries in one text of a file that are servers. */
export async function serversInText(
  text: string,
  { agent, scope, place }: Pick<Installation, 'agent' | 'scope' | 'place'>,
  machine: AgentMachine,
): Promise<(ServerInFile & { readonly entry: unknown })[]> {
  const servers = [...entriesOf(text, place)].map(async ([name, entry]) => {
    const found = await readServer(name, entry, scope, agents[agent], machine);
    return found === undefined ? [] : [{ ...found, entry }];
  });
  return (await Promise.all(servers)).flat();
}

type ServerInFile = Pick<AgentServer, 'name' | 'settings' | 'reason' | 'notes'>;

async function serversIn(value: unknown, row: AgentFile, agent: Agent, machine: AgentMachine): Promise<ServerInFile[]> {
  const off = valueAt(value, row.disabled?.(machine) ?? []);
  const isOff = (name: string) => Array.isArray(off) && off.includes(name);
  const servers: ServerInFile[] = [];
  for (const [name, entry] of entriesIn(valueAt(value, row.servers(machine)), row.isList)) {
    const found = await readServer(name, entry, row.scope, agent, machine);
    if (found === undefined) continue;
    const settings = found.settings !== null && isOff(name) ? { ...found.settings, enabled: false } : found.settings;
    servers.push({ ...found, settings });
  }
  return servers;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const step of path) at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  return path.length === 0 ? undefined : at;
}

function entriesIn(servers: unknown, isList: boolean): [name: string, entry: unknown][] {
  if (!isList) return isObject(servers) ? Object.entries(servers) : [];
  if (!Array.isArray(servers)) return [];
  return servers.map((item, at) => [isObject(item) && typeof item.name === 'string' ? item.name : `${at + 1}`, item]);
}

/** undefined: it is no server, or the gateway itself. */
async function readServer(
  name: string,
  entry: unknown,
  scope: AgentScope,
  { entry: shape, notation }: Agent,
  machine: AgentMachine,
): Promise<ServerInFile | undefined> {
  const impossible = (reason: string) => ({ name, settings: null, reason, notes: [] });
  if (!isObject(entry)) return impossible('its entry is not an object');
  const faults: string[] = [];
  const translate = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(translate);
    if (isObject(value)) {
      // Some agents write null for a variable that is taken away.
      const members = Object.entries(value).filter(([, item]) => item !== null);
      return Object.fromEntries(members.map(([key, item]) => [key, translate(item)]));
    }
    if (typeof value !== 'string') return value;
    const translated = translateText(value, notation, machine);
    if ('text' in translated) return translated.text;
    faults.push(translated.reason);
    return value;
  };
  const used = Object.entries(entry).filter(([key]) => shape.members.includes(key));
  const read = shape.read(Object.fromEntries(used.map(([key, value]) => [key, translate(value)])));
  if (read === undefined) return undefined;
  const { variables, note } = await readVariables(read.envFile, machine);
  const settings = withVariables(withTransport(inFolder(read.settings, scope, machine)), variables);
  if (isOwnEntry(name, settings)) return undefined;
  const reason = read.reason ?? faults[0] ?? faultOf(name, settings, machine);
  if (reason !== null) return impossible(reason);
  // It was just parsed as the JSON of a server.
  return { name, settings: settings as JsonObject, reason: null, notes: [...(read.notes ?? []), ...note] };
}

/** Agents try both transports where an entry names none; by custom, the path of the older one ends in `sse`. */
function withTransport(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { url, type } = settings;
  const isOlder = type === undefined && typeof url === 'string' && /\/sse\/?(?:[?#]|$)/.test(url);
  return isOlder ? { ...settings, type: 'sse' } : settings;
}

/** The variables of an `envFile`; a relative one means the project folder. */
async function readVariables(file: unknown, machine: AgentMachine) {
  if (typeof file !== 'string') return { variables: {}, note: [] };
  const path = pathStyle(machine).resolve(machine.cwd, expandHome(file, machine.env));
  try {
    const read = await readOthersFile(path, { mostBytes: limits.maxConfigBytes, signal: machine.signal });
    if (read !== undefined) return { variables: parseEnv(read.bytes.toString()), note: [] };
    return { variables: {}, note: [`Its file of variables is missing: ${path}`] };
  } catch (error) {
    if (machine.signal?.aborted) throw error;
    return { variables: {}, note: [`Its variables were not read: ${messageOf(error)}`] };
  }
}

/** Those of the entry itself count more. */
function withVariables(settings: Readonly<Record<string, unknown>>, variables: NodeJS.Dict<string>) {
  const more = Object.entries(variables).map(([name, value = '']) => [name, escaped(value)]);
  const { env } = settings;
  return more.length === 0
    ? settings
    : { ...settings, env: { ...Object.fromEntries(more), ...(isObject(env) && env) } };
}

/** Relative paths in files of a project mean its folder. */
function inFolder(settings: Readonly<Record<string, unknown>>, scope: AgentScope, machine: AgentMachine) {
  const { command, args, cwd } = settings;
  if (scope === 'user' || command === undefined) return settings;
  if (typeof cwd === 'string') return { ...settings, cwd: pathStyle(machine).resolve(machine.cwd, cwd) };
  const words = [command, ...(Array.isArray(args) ? args : [])];
  const isRelative = words.some((word) => typeof word === 'string' && /^\.{1,2}(?:[\\/]|$)/.test(word));
  return isRelative ? { ...settings, cwd: machine.cwd } : settings;
}

/** Why these settings are no server of ours; null: they are one. */
function faultOf(name: string, settings: Readonly<Record<string, unknown>>, { env }: AgentMachine): string | null {
  try {
    parseServer(name, settings, env, 'store');
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** True for what leads the agent to the gateway: an entry as we write it, or a URL of this machine under our name. */
function isOwnEntry(name: string, settings: Readonly<Record<string, unknown>>): boolean {
  const { command, url } = settings;
  const address = command === undefined && typeof url === 'string' ? URL.parse(url) : null;
  const isHere = address !== null && isLoopbackName(address.hostname);
  return isOwnForm(settings) || (name === ownEntry && isHere);
}

/** From what an agent wrote to the server or tool it meant: a toolKey, a public name, or server and tool apart; else trouble with the nearest names. */

import { type AccessRefusal, type Principal, refusalOf, serverRefusalOf } from '../access/access.ts';
import { type ErrorCode, GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import type { Uses } from './layers.ts';
import { type KeyStamps, readKey, stampsOf, toolNames } from './naming.ts';
import { canSee, isThere, isVisible, visibleServers } from './view.ts';

export interface ToolAddress {
  readonly toolKey?: unknown;
  readonly server?: unknown;
  readonly tool?: unknown;
}

/** The tool, or trouble with the nearest names. One that the principal may not see reads exactly like a missing one. */
export function resolveTool(
  layers: Uses<'catalog' | 'downstream' | 'clock' | 'config'>,
  principal: Principal,
  address: ToolAddress,
): Entry {
  const { snapshot } = layers.catalog;
  const isTool = (key: string) => isThere(snapshot, principal, key);
  const { server, tool } = parseAddress(address, stampsOf(layers), isTool);
  const found = server === undefined ? findBare(snapshot, principal, tool) : snapshot.tools.get(`${server}:${tool}`);
  if (found && canSee(snapshot, principal, found)) return found;
  if (server !== undefined) {
    if (principal.scopes.has('admin')) explain(snapshot, principal, server, tool);
    findServer(snapshot, principal, server);
    if (principal.scopes.has('admin')) explainFailed(layers, principal, server, tool);
  }
  throw noTool(snapshot, principal, server, tool);
}

/** The same, where first listings that are under way get the chance to bring the tool. `resolve` may know more ways of writing a name. */
export async function awaitTool(
  layers: Uses<'catalog' | 'downstream' | 'clock' | 'config'>,
  principal: Principal,
  address: ToolAddress,
  resolve = resolveTool,
): Promise<Entry> {
  try {
    return resolve(layers, principal, address);
  } catch {
    await layers.catalog.settle(limits.listWaitMs);
    await explainUnlisted(layers, principal, address);
    return resolve(layers, principal, address);
  }
}

/** A server that could never be listed has no tools to name: then its own trouble is the answer, where it may be known of. */
async function explainUnlisted(layers: Uses<'catalog'>, principal: Principal, address: ToolAddress): Promise<void> {
  const name = typeof address.server === 'string' ? address.server : String(address.toolKey ?? '').split(':', 1)[0];
  await awaitListing(layers, principal, (server) => server === name);
}

/** Waits for the first listing of servers that are meant; a server that cannot be listed is trouble of its own. */
export async function awaitListing(
  { catalog }: Uses<'catalog'>,
  principal: Principal,
  isMeant: (server: string) => boolean,
): Promise<void> {
  const servers = visibleServers(catalog.snapshot, principal);
  const unlisted = servers.filter(({ spec, listedAt }) => listedAt === null && isMeant(spec.name));
  await Promise.all(unlisted.map(({ spec }) => catalog.refresh(spec.name)));
}

interface Parsed {
  readonly server: string | undefined;
  readonly tool: string;
}

function parseAddress(address: ToolAddress, stamps: KeyStamps, isTool: (key: string) => boolean): Parsed {
  if (typeof address.server === 'string' && typeof address.tool === 'string')
    return { server: address.server, tool: address.tool };
  if (typeof address.toolKey !== 'string' || address.toolKey.trim() === '') {
    throw new GatewayError('TOOLKEY_INVALID', 'A toolKey is needed: the text "server:tool".');
  }
  const key = readKey(address.toolKey, stamps, isTool);
  const colon = key.indexOf(':');
  return colon === -1 ? { server: undefined, tool: key } : { server: key.slice(0, colon), tool: key.slice(colon + 1) };
}

/** Agents also write `server.tool` or the tool's name alone; both are fine while only one tool can be meant. */
function findBare(snapshot: Snapshot, principal: Principal, name: string): Entry | undefined {
  const names = toolNames(snapshot, principal);
  const exact = names.joined(name);
  if (exact.length === 1) return exact[0];
  const bare = names.named(name);
  if (bare.length > 1) {
    const keys = bare.map((tool) => tool.key);
    throw new GatewayError('TOOLKEY_INVALID', `${bare.length} servers have a tool "${name}".`, {
      hint: `Say which: ${keys.slice(0, 5).join(', ')}`,
      data: { nearest: keys.slice(0, 5) },
    });
  }
  return bare[0];
}

/** By name; a server has up to thousands of them. */
const namedTools = new WeakMap<ServerEntry, ReadonlyMap<string, Entry>>();

/** A tool of a server by the name under which it is called, where it is shown, and the server's own name for it, also where it is not. */
export function toolNamed(
  server: ServerEntry,
  name: string,
): { readonly entry: Entry | undefined; readonly serverName: string } {
  const named = namedTools.get(server) ?? new Map(server.tools.map((tool) => [tool.name, tool]));
  namedTools.set(server, named);
  const entry = named.get(name);
  return { entry, serverName: entry?.serverName ?? server.spec.aliases.get(name) ?? name };
}

/** For one who may know of everything: why a tool that is there cannot be had. */
function explain(snapshot: Snapshot, principal: Principal, serverName: string, name: string): void {
  const server = snapshot.servers.get(serverName);
  if (!server) return;
  if (server.heldTools.has(name)) throw withheldTool(serverName, name);
  const { entry, serverName: ownName } = toolNamed(server, name);
  if (!entry && !server.hiddenTools.has(name)) return;
  const refusal = refusalOf(principal, server.spec, ownName);
  if (refusal === null) return;
  const { code, why, hint } = explanations[refusal];
  throw new GatewayError(code, `Tool "${serverName}:${name}" cannot be called: ${why(serverName, principal)}.`, {
    hint: hint(serverName, principal, settingsPlace(server.spec)),
  });
}

/** For the same: why a tool may be missing in what is known of a server that does not work now. */
function explainFailed(
  layers: Uses<'catalog' | 'downstream' | 'clock'>,
  principal: Principal,
  server: string,
  tool: string,
): void {
  const status = layers.downstream.status(server);
  const isListed = layers.catalog.snapshot.servers.get(server)?.listedAt !== null;
  if (status?.state !== 'failed' || !isListed) return;
  const waitMs = (status.nextRetryAt ?? 0) - layers.clock.now();
  const next = waitMs > 0 ? `in ${Math.ceil(waitMs / 1_000)} s` : 'with its next call';
  const what = `Server "${server}" had no tool "${shownName(tool)}" when it was last listed, and is not connected`;
  const near = toolNames(layers.catalog.snapshot, principal).nearest(tool, server);
  throw new GatewayError(
    'SERVER_NOT_RUNNING',
    `${what}; Toolcrib tries it again ${next}. ${status.lastError ?? ''}`.trim(),
    {
      hint: didYouMean(near) ?? status.hint ?? undefined,
      data: { nearest: near },
    },
  );
}

interface Explanation {
  readonly code: ErrorCode;
  why(server: string, principal: Principal): string;
  /** `place`: where the settings of the server are changed. */
  hint(server: string, principal: Principal, place: string): string;
}

/** Where the owner changes the settings of a server. */
export function settingsPlace({ origin }: Pick<ServerEntry['spec'], 'origin'>): string {
  return origin === 'store' ? 'under Servers on the dashboard' : 'in the config file';
}

/** Each reason in words for those who may know it. */
export const explanations: Readonly<Record<AccessRefusal, Explanation>> = {
  scope: {
    code: 'ACCESS_DENIED',
    why: () => 'the token may not use tools',
    hint: () => 'Use a token with the scope "use".',
  },
  off: {
    code: 'TOOL_DISABLED',
    why: (server) => `server "${server}" is switched off`,
    hint: (server) => `Switch it on with: toolcrib enable ${server}`,
  },
  server: {
    code: 'ACCESS_DENIED',
    why: (server) => `the token has no access to server "${server}"`,
    hint: (server) => `Use a token that has: toolcrib token create NAME --servers ${server}`,
  },
  project: {
    code: 'PROJECT_MISMATCH',
    why: (server, { project }) => `server "${server}" is not in project "${project?.name}"`,
    hint: (_server, { project }) =>
      `Add it to the "servers" of the project, or "${project?.name}" to "projects" of the server, or use another door.`,
  },
  hidden: {
    code: 'TOOL_DISABLED',
    why: (server) => `it is not among the tools that server "${server}" exposes`,
    hint: (server, _principal, place) => `Add it to the exposed tools of server "${server}" ${place}.`,
  },
  denied: {
    code: 'ACCESS_DENIED',
    why: () => 'its permission is "deny"',
    hint: (server, { project }, place) =>
      `Change it in the permissions of server "${server}" ${place}${project ? `, or of project "${project.name}"` : ''}.`,
  },
};

function noTool(snapshot: Snapshot, principal: Principal, server: string | undefined, tool: string): GatewayError {
  const near = toolNames(snapshot, principal).nearest(tool, server);
  const where = server === undefined ? '' : ` on server "${server}"`;
  return new GatewayError('TOOL_NOT_FOUND', `There is no tool "${shownName(tool)}"${where}.`, {
    hint: didYouMean(near),
    ...(near.length === 0 && { ownerHint: 'A tool is named SERVER:TOOL. All tools: toolcrib tools' }),
    data: { nearest: near },
  });
}

/** For one who may know of it: a tool that nobody has approved yet. */
function withheldTool(server: string, tool: string): GatewayError {
  return new GatewayError('APPROVAL_NEEDED', `Tool "${server}:${tool}" is withheld until it is approved.`, {
    hint: `See why: toolcrib review ${server}`,
  });
}

/** Characters of a name that is not known which are told back. */
const shownChars = 200;

/** Throws SERVER_NOT_FOUND with the nearest names. Why it is not there is said to those who may know of it. */
export function findServer(snapshot: Snapshot, principal: Principal, name: string): ServerEntry {
  const found = snapshot.servers.get(name);
  if (found && isVisible(found, principal)) return found;
  const near = nearest(
    name,
    visibleServers(snapshot, principal).map((server) => server.spec.name),
  );
  if (found && principal.scopes.has('admin')) throw whyNot(found, principal, near);
  throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${shownName(name)}".`, {
    hint: didYouMean(near),
    data: { nearest: near },
  });
}

/** A name that somebody made up, in a sentence about it. */
export function shownName(name: string): string {
  return name.length <= shownChars ? name : `${name.slice(0, shownChars).toWellFormed()}…`;
}

export function didYouMean(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
}

function whyNot({ spec }: ServerEntry, principal: Principal, near: readonly string[]): GatewayError {
  const { name } = spec;
  const refusal = serverRefusalOf(principal, spec);
  if (refusal === 'project') {
    const project = principal.project?.name;
    return new GatewayError('PROJECT_MISMATCH', `Server "${name}" is not in project "${project}".`, {
      hint: `Add it to the "servers" of the project, or "${project}" to "projects" of the server.`,
      data: { nearest: near },
    });
  }
  if (refusal === 'server' || refusal === 'scope') {
    return new GatewayError('ACCESS_DENIED', `The token has no access to server "${name}".`, {
      hint: `Use a token that has: toolcrib token create NAME --servers ${name}`,
      data: { nearest: near },
    });
  }
  return new GatewayError('SERVER_NOT_FOUND', `Server "${name}" is switched off.`, {
    hint: `Switch it on with: toolcrib enable ${name}`,
    data: { nearest: near, isSwitchedOff: true },
  });
}

/** `where` ends the sentence, such as ` on server "x"`. */
export function unknownTool(name: string, names: Iterable<string>, where = ''): GatewayError {
  const near = nearest(name, names);
  return new GatewayError('TOOL_NOT_FOUND', `There is no tool "${shownName(name)}"${where}.`, {
    hint: didYouMean(near),
    data: { nearest: near },
  });
}

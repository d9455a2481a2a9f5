/**
 * From a name in a program to the tool that is meant. JavaScript has no names with dashes and dots, and models like one case better than
 * another: a name that differs only in such things is taken where it fits exactly one tool.
 */

import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { Entry } from '../catalog/catalog.ts';
import {
  awaitTool,
  perViewer,
  resolveTool,
  type ToolAddress,
  toolNames,
  type Uses,
  visibleServers,
  visibleTools,
} from '../tools/tools.ts';

/** Tools that are named where several could be meant. */
const namedTools = 3;
/** A longer name is no other writing of a tool's. */
const longestName = 1_000;

/** Throws trouble with the nearest names; what the principal may not see reads like what is not there. */
export function findWrittenTool(
  layers: Uses<'catalog' | 'downstream' | 'clock' | 'config'>,
  principal: Principal,
  address: ToolAddress,
): Promise<Entry> {
  return awaitTool(layers, principal, address, resolveWritten);
}

/** All tools of a server, or one tool, by a name alone. */
export async function findWrittenTools(
  layers: Uses<'catalog' | 'downstream' | 'clock' | 'config'>,
  principal: Principal,
  name: string,
): Promise<readonly Entry[]> {
  const { snapshot } = layers.catalog;
  const { exact, alike } = serverNames(snapshot, principal);
  const others = alike.get(plain(name)) ?? [];
  const meant = exact.has(name) ? name : others.length === 1 ? others[0] : undefined;
  if (meant === undefined) return [await findWrittenTool(layers, principal, { toolKey: name }).catch(orServer(name))];
  const tools = toolNames(snapshot, principal).ofServer(meant);
  if (tools.length > 0) return tools;
  // One that was never listed says why, or brings its tools.
  if (snapshot.servers.get(meant)?.listedAt === null) await layers.catalog.refresh(meant);
  const listed = toolNames(layers.catalog.snapshot, principal).ofServer(meant);
  if (listed.length === 0) throw new GatewayError('TOOL_NOT_FOUND', `Server "${meant}" has no tools.`);
  return listed;
}

/** Where a server could have been meant as well, it is not the tool alone that is not there. */
function orServer(name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof GatewayError) || error.code !== 'TOOL_NOT_FOUND' || /[:.]/.test(name)) throw error;
    const { hint, data } = error;
    throw new GatewayError('TOOL_NOT_FOUND', `There is no server and no tool "${name}".`, { hint, data, cause: error });
  };
}

const serverNames = perViewer((snapshot, principal) => {
  const names = visibleServers(snapshot, principal).map(({ spec }) => spec.name);
  return { exact: new Set(names), alike: Map.groupBy(names, plain) };
});

/** How a program calls a tool: `servers.github.create_issue`. */
export function writtenForm({ server, name }: Pick<Entry, 'server' | 'name'>): string {
  return `servers${member(server)}${member(name)}`;
}

function member(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function resolveWritten(
  layers: Uses<'catalog' | 'downstream' | 'clock' | 'config'>,
  principal: Principal,
  address: ToolAddress,
): Entry {
  try {
    return resolveTool(layers, principal, address);
  } catch (error) {
    const names = alikeNames(layers.catalog.snapshot, principal);
    const alike = alikeTools(names, address);
    const [only] = alike;
    if (only && alike.length === 1) return only;
    if (alike.length > 1) throw ambiguous(alike);
    throw misplaced(names, address, error);
  }
}

/** The tools of one viewer by their names without what is written in many ways. */
interface AlikeNames {
  readonly byAddress: ReadonlyMap<string, readonly Entry[]>;
  readonly byJoined: ReadonlyMap<string, readonly Entry[]>;
  readonly byName: ReadonlyMap<string, readonly Entry[]>;
}

const alikeNames = perViewer((snapshot, principal): AlikeNames => {
  const tools = visibleTools(snapshot, principal);
  const by = (key: (tool: Entry) => string) => Map.groupBy(tools, key);
  return {
    byAddress: by(({ server, name }) => `${plain(server)}:${plain(name)}`),
    byJoined: by(({ server, name }) => `${plain(server)}${plain(name)}`),
    byName: by(({ name }) => plain(name)),
  };
});

function alikeTools({ byAddress, byJoined, byName }: AlikeNames, address: ToolAddress): readonly Entry[] {
  const { server, tool } = split(address);
  if (server !== undefined) return closest(byAddress.get(`${plain(server)}:${plain(tool)}`) ?? [], server, tool);
  const joined = plain(tool.replace(/^(servers|tools|mcp)(\.|__)/, ''));
  return byJoined.get(joined) ?? byName.get(plain(tool)) ?? [];
}

/** Where several are alike, what is written exactly so goes first. */
function closest(tools: readonly Entry[], server: string, name: string): readonly Entry[] {
  const ofServer = tools.filter((tool) => tool.server === server);
  const near = ofServer.length > 0 ? ofServer : tools;
  const exact = near.filter((tool) => tool.name === name);
  return exact.length > 0 ? exact : near;
}

function split({ server, tool, toolKey }: ToolAddress): { readonly server: string | undefined; readonly tool: string } {
  if (typeof server === 'string' && typeof tool === 'string') return { server, tool };
  const key = typeof toolKey === 'string' ? toolKey : '';
  const colon = key.indexOf(':');
  return colon === -1 ? { server: undefined, tool: key } : { server: key.slice(0, colon), tool: key.slice(colon + 1) };
}

/** `createIssue`, `create-issue` and `create_issue` are one. */
function plain(name: string): string {
  if (name.length > longestName) return name;
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function ambiguous(tools: readonly Entry[]): GatewayError {
  const keys = tools.map(({ key }) => key).slice(0, namedTools);
  return new GatewayError('TOOLKEY_INVALID', `The name fits ${tools.length} tools.`, {
    hint: `Say which: ${keys.map((key) => `call(${JSON.stringify(key)}, {…})`).join(' or ')}`,
    data: { nearest: keys },
  });
}

/** A tool's name where a server's belongs is a mistake of the place, not of the name. */
function misplaced({ byName }: AlikeNames, address: ToolAddress, error: unknown): unknown {
  const { server } = split(address);
  if (!(error instanceof GatewayError) || error.code !== 'SERVER_NOT_FOUND' || server === undefined) return error;
  const tools = (byName.get(plain(server)) ?? []).slice(0, namedTools);
  if (tools.length === 0) return error;
  return new GatewayError('SERVER_NOT_FOUND', `There is no server "${server}"; there is a tool of that name.`, {
    hint: `Write ${tools.map((tool) => `${writtenForm(tool)}({…})`).join(' or ')}.`,
    data: { nearest: tools.map(({ key }) => key) },
  });
}

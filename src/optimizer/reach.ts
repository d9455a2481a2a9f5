/** The servers that a token with the scope `optimize` reaches, as if it could use them, and their tools by name. */

import { type Principal, serverRefusalOf } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Catalog, Entry, Snapshot } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import { findServer, visibleServers } from '../tools/tools.ts';
import type { ToolName } from './optimizer.ts';

/** Throws where a server is not there for the token. */
export function checkReach(snapshot: Snapshot, principal: Principal, server: string): void {
  findServer(snapshot, asUser(principal), server);
}

export function serversInReach(snapshot: Snapshot, principal: Principal): string[] {
  return visibleServers(snapshot, asUser(principal)).map(({ spec }) => spec.name);
}

/** Jobs on these servers may be known. A server that is off or gone counts as if it were there: its jobs end too, and their followers wait for that. */
export function knowsJobsOn(snapshot: Snapshot, principal: Principal): (server: string) => boolean {
  return (name) => {
    const spec = snapshot.servers.get(name)?.spec ?? { name, projects: [] };
    return serverRefusalOf(asUser(principal), { ...spec, isEnabled: true }) === null;
  };
}

function asUser(principal: Principal): Principal {
  return { ...principal, scopes: new Set([...principal.scopes, 'use']) };
}

type ListedCatalog = Pick<Catalog, 'snapshot' | 'settle'>;

/** Every tool of a server by its own name; an alias is no tool of its own. */
export async function canonicalTools(catalog: ListedCatalog, server: string): Promise<readonly Entry[]> {
  await catalog.settle(limits.listWaitMs);
  const entry = catalog.snapshot.servers.get(server);
  if (!entry) {
    const [near] = nearest(server, catalog.snapshot.servers.keys(), 1);
    const hint = near === undefined ? undefined : `Did you mean "${near}"?`;
    throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${server}".`, { hint });
  }
  const tools = new Map(entry.tools.map((tool) => [tool.serverName, tool]));
  if (tools.size > 0) return [...tools.values()];
  throw new GatewayError('TOOL_NOT_FOUND', `Server "${server}" has no canonical tools yet: is it connected?`, {
    hint: `Run "toolcrib refresh ${server}", or look at its state with "toolcrib show ${server}".`,
  });
}

export async function findTool(catalog: ListedCatalog, { server, tool }: ToolName): Promise<Entry> {
  const entries = await canonicalTools(catalog, server);
  const found = entries.find(({ serverName, name }) => serverName === tool || name === tool);
  if (found) return found;
  const names = entries.map((entry) => entry.serverName);
  const [near] = nearest(tool, names, 1);
  throw new GatewayError('TOOL_NOT_FOUND', `Server "${server}" has no tool "${tool}".`, {
    hint: near === undefined ? 'get_canonical_tools lists them.' : `Did you mean "${near}"?`,
    ownerHint: near === undefined ? `List them: toolcrib tools --server ${server}` : undefined,
  });
}

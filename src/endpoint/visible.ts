/** What of the catalog a principal can see: the same rule that decides what can be called. */

import { authorize, isInProject, type Principal } from '../access/access.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';

export function canSee(snapshot: Snapshot, principal: Principal, tool: Entry): boolean {
  const server = snapshot.servers.get(tool.server);
  return server !== undefined && authorize(principal, server.spec, tool.serverName) !== 'deny';
}

/** The tools a principal can see, in the catalog's order. */
export function visibleTools(snapshot: Snapshot, principal: Principal): Entry[] {
  return [...snapshot.tools.values()].filter((tool) => canSee(snapshot, principal, tool));
}

/** The servers that are there for a principal. */
export function visibleServers(snapshot: Snapshot, principal: Principal): ServerEntry[] {
  return [...snapshot.servers.values()].filter((server) => isVisible(server, principal));
}

export function isVisible({ spec }: ServerEntry, principal: Pick<Principal, 'project'>): boolean {
  return spec.isEnabled && isInProject(principal, spec);
}

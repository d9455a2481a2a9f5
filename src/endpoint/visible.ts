/** What of the catalog a principal can see: the same rule that decides what can be called. */

import { authorize, isInProject, type Principal } from '../access/access.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';

export function canSee(snapshot: Snapshot, principal: Principal, tool: Entry): boolean {
  const server = snapshot.servers.get(tool.server);
  return server !== undefined && authorize(principal, server.spec, tool.serverName) !== 'deny';
}

/** Whether a principal has a tool under this key. */
export function isThere(snapshot: Snapshot, principal: Principal, key: string): boolean {
  const tool = snapshot.tools.get(key);
  return tool !== undefined && canSee(snapshot, principal, tool);
}

/** The tools a principal can see, in the catalog's order. */
export function visibleTools(snapshot: Snapshot, principal: Principal): Entry[] {
  return [...snapshot.tools.values()].filter((tool) => canSee(snapshot, principal, tool));
}

/** How many those are, for measures that must not tell of others; counted once for each snapshot. */
export function countVisible(snapshot: Snapshot, principal: Principal): number {
  const counts = counted.get(snapshot) ?? new Map<string, number>();
  counted.set(snapshot, counts);
  const viewer = JSON.stringify([principal.id, principal.project]);
  const count = counts.get(viewer) ?? visibleTools(snapshot, principal).length;
  counts.set(viewer, count);
  return count;
}

const counted = new WeakMap<Snapshot, Map<string, number>>();

/** The servers that are there for a principal. */
export function visibleServers(snapshot: Snapshot, principal: Principal): ServerEntry[] {
  return [...snapshot.servers.values()].filter((server) => isVisible(server, principal));
}

export function isVisible({ spec }: ServerEntry, principal: Pick<Principal, 'project'>): boolean {
  return spec.isEnabled && isInProject(principal, spec);
}

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
export const countVisible = perViewer((snapshot, principal) => visibleTools(snapshot, principal).length);

/** What depends only on the catalog and on who looks at it: made once for each of both. `means` help to make it and change nothing. */
export function perViewer<T, M extends unknown[]>(make: (snapshot: Snapshot, principal: Principal, ...means: M) => T) {
  const known = new WeakMap<Snapshot, Map<string, T>>();
  return (snapshot: Snapshot, principal: Principal, ...means: M): T => {
    const made = known.get(snapshot) ?? new Map<string, T>();
    known.set(snapshot, made);
    const viewer = viewerOf(principal);
    const value = made.get(viewer) ?? make(snapshot, principal, ...means);
    made.set(viewer, value);
    return value;
  };
}

/** Principals that are the same here see the same. */
export function viewerOf({ id, project }: Principal): string {
  return JSON.stringify([id, project]);
}

/** The servers that are there for a principal. */
export function visibleServers(snapshot: Snapshot, principal: Principal): ServerEntry[] {
  return [...snapshot.servers.values()].filter((server) => isVisible(server, principal));
}

export function isVisible({ spec }: ServerEntry, principal: Pick<Principal, 'project'>): boolean {
  return spec.isEnabled && isInProject(principal, spec);
}

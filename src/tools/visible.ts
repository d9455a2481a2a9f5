/** The tools and servers that a principal can see, by the same rule that decides what can be called. */

import { authorize, type Principal, serverRefusalOf } from '../access/access.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import type { SearchView } from '../search/search.ts';

export function canSee(snapshot: Snapshot, principal: Principal, tool: Entry): boolean {
  const server = snapshot.servers.get(tool.server);
  return server !== undefined && authorize(principal, server.spec, tool.serverName) !== 'deny';
}

/** True if a principal has a tool under this key. */
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

/** The tools a principal can see, for what is to be weighed among these alone; null: all that there are. */
export const searchViewOf = perViewer((snapshot, principal): SearchView | null =>
  countVisible(snapshot, principal) === snapshot.tools.size
    ? null
    : { has: (key) => isThere(snapshot, principal, key) },
);

/** Caches a value that depends only on the catalog and on a principal's rights. `means` help to make it and change nothing. */
export function perViewer<T, M extends unknown[]>(make: (snapshot: Snapshot, principal: Principal, ...means: M) => T) {
  const known = new WeakMap<Snapshot, Map<string, T>>();
  return (snapshot: Snapshot, principal: Principal, ...means: M): T => {
    const made = known.get(snapshot) ?? new Map<string, T>();
    known.set(snapshot, made);
    return remembered(made, rightsOf(principal), () => make(snapshot, principal, ...means));
  };
}

/** The value for these rights, from a bounded cache that drops the least recently used. */
export function remembered<T>(known: Map<string, T>, rights: string, make: () => T): T {
  const value = known.has(rights) ? (known.get(rights) as T) : make();
  // Behind all others, which were not looked at since.
  known.delete(rights);
  known.set(rights, value);
  if (known.size > limits.rightsRemembered) {
    const [longestAgo = ''] = known.keys();
    known.delete(longestAgo);
  }
  return value;
}

/**
 * Principals that are the same here see the same of a catalog, whoever they are: it says everything that the rule for tools
 * asks a principal. A thousand tokens with the same rights have one.
 */
export function rightsOf({ scopes, servers, project }: Principal): string {
  return JSON.stringify([[...scopes], servers, project?.name, project?.mark]);
}

/** One principal as it is now, for what is its own: whatever changes what it may do changes this. */
export function viewerOf({ id, mark, project }: Principal): string {
  return JSON.stringify([id, mark, project?.name, project?.mark]);
}

/** The same principal in the same project, whatever it may do by now. */
export function identityOf({ id, project }: Principal): string {
  return JSON.stringify([id, project?.name]);
}

/** The servers that are there for a principal. */
export function visibleServers(snapshot: Snapshot, principal: Principal): ServerEntry[] {
  return [...snapshot.servers.values()].filter((server) => isVisible(server, principal));
}

export function isVisible({ spec }: ServerEntry, principal: Principal): boolean {
  return serverRefusalOf(principal, spec) === null;
}

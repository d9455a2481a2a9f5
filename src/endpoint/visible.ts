/** What of the catalog a principal can see: the same rule that decides what can be called. */

import { authorize, type Principal, serverRefusalOf } from '../access/access.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import type { Sight } from '../search/search.ts';

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

/** The tools a principal can see, for what is to be weighed among these alone; null: all that there are. */
export const sightOf = perViewer((snapshot, principal): Sight | null =>
  countVisible(snapshot, principal) === snapshot.tools.size
    ? null
    : { has: (key) => isThere(snapshot, principal, key) },
);

/** What depends only on the catalog and on who looks at it: made once for each of both. `means` help to make it and change nothing. */
export function perViewer<T, M extends unknown[]>(make: (snapshot: Snapshot, principal: Principal, ...means: M) => T) {
  const known = new WeakMap<Snapshot, Map<string, T>>();
  return (snapshot: Snapshot, principal: Principal, ...means: M): T => {
    const made = known.get(snapshot) ?? new Map<string, T>();
    known.set(snapshot, made);
    const viewer = viewerOf(principal);
    const value = made.get(viewer) ?? make(snapshot, principal, ...means);
    rememberFor(made, viewer, value);
    return value;
  };
}

/** Keeps what was made for a viewer, of a bounded number of them: those who looked first go first. */
export function rememberFor<T>(known: Map<string, T>, viewer: string, value: T): void {
  known.set(viewer, value);
  if (known.size <= limits.viewersRemembered) return;
  const [oldest = ''] = known.keys();
  known.delete(oldest);
}

/** Principals that are the same here see the same: whatever changes what one may do changes this. */
export function viewerOf({ id, mark, project }: Principal): string {
  return JSON.stringify([id, mark, project?.name, project?.mark]);
}

/** The same principal in the same project, whatever it may do by now. */
export function seatOf({ id, project }: Principal): string {
  return JSON.stringify([id, project?.name]);
}

/** The servers that are there for a principal. */
export function visibleServers(snapshot: Snapshot, principal: Principal): ServerEntry[] {
  return [...snapshot.servers.values()].filter((server) => isVisible(server, principal));
}

export function isVisible({ spec }: ServerEntry, principal: Principal): boolean {
  return serverRefusalOf(principal, spec) === null;
}

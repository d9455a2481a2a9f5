/** The server that somebody named, or trouble that says what is wrong with the name. */

import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { enabledServers } from './visible.ts';

/** Throws SERVER_NOT_FOUND with the nearest names. That a server is switched off is said to those who may know of it. */
export function findServer(snapshot: Snapshot, principal: Principal, name: string): ServerEntry {
  const found = snapshot.servers.get(name);
  if (found?.spec.isEnabled) return found;
  const near = nearest(
    name,
    enabledServers(snapshot).map((server) => server.spec.name),
  );
  if (found && mayKnow(principal, found)) {
    throw new GatewayError('SERVER_NOT_FOUND', `Server "${name}" is switched off.`, {
      hint: `Its owner can switch it on: toolcrib enable ${name}`,
      data: { nearest: near, isSwitchedOff: true },
    });
  }
  throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${name}".`, {
    hint: didYouMean(near),
    data: { nearest: near },
  });
}

export function didYouMean(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
}

/** A server that would show an agent nothing by default is not there for it, on or off. */
function mayKnow({ scopes }: Principal, { spec }: ServerEntry): boolean {
  return scopes.has('admin') || spec.permissions.get('*') !== 'deny';
}

/** The servers that a token with the scope `optimize` reaches: those that it has, as if it could use them. */

import type { Principal } from '../access/access.ts';
import type { Snapshot } from '../catalog/catalog.ts';
import { findServer, visibleServers } from '../tools/tools.ts';

/** Throws where a server is not there for the token. */
export function checkReach(snapshot: Snapshot, principal: Principal, server: string): void {
  findServer(snapshot, asUser(principal), server);
}

export function serversInReach(snapshot: Snapshot, principal: Principal): string[] {
  return visibleServers(snapshot, asUser(principal)).map(({ spec }) => spec.name);
}

function asUser(principal: Principal): Principal {
  return { ...principal, scopes: new Set([...principal.scopes, 'use']) };
}

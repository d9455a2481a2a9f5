/** The servers that a token with the scope `optimize` reaches: those that it has, as if it could use them. */

import { type Principal, serverRefusalOf } from '../access/access.ts';
import type { Snapshot } from '../catalog/catalog.ts';
import { findServer, visibleServers } from '../tools/tools.ts';
import type { KnowsServer } from './jobs.ts';

/** Throws where a server is not there for the token. */
export function checkReach(snapshot: Snapshot, principal: Principal, server: string): void {
  findServer(snapshot, asUser(principal), server);
}

export function serversInReach(snapshot: Snapshot, principal: Principal): string[] {
  return visibleServers(snapshot, asUser(principal)).map(({ spec }) => spec.name);
}

/** Jobs on these servers may be known. A server that is off or gone counts as if it were there: its jobs end too, and their followers wait for that. */
export function knowsJobsOn(snapshot: Snapshot, principal: Principal): KnowsServer {
  return (name, projects) => {
    const spec = snapshot.servers.get(name)?.spec ?? { name, projects };
    return serverRefusalOf(asUser(principal), { ...spec, isEnabled: true }) === null;
  };
}

function asUser(principal: Principal): Principal {
  return { ...principal, scopes: new Set([...principal.scopes, 'use']) };
}

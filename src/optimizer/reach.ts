/** The reach of a token with the scope `optimize`: its servers, as if it could use them, but no promotion past the gates. */

import { lackingScope, type Principal, serverRefusalOf } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
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

/** The principal that gives an order, and its name in records. */
export type ActingPrincipal = Pick<Principal, 'name' | 'scopes'>;

export function mayForce({ scopes }: ActingPrincipal): boolean {
  return scopes.has('admin');
}

/** Throws unless this principal may show every agent a text that did not pass the gates. */
export function checkForce(by: ActingPrincipal): void {
  if (mayForce(by)) return;
  throw new GatewayError('ACCESS_DENIED', `A promotion past the gates was refused. ${lackingScope('admin')}`, {
    hint: 'Promote it without force once it passes the gates, or ask the owner to promote it.',
    data: { scope: 'admin' },
  });
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

/** What of our own resources is worth telling when it changes, as short marks: equal as long as a principal would read the same news. */

import { createHash } from 'node:crypto';
import type { Principal } from '../access/access.ts';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import type { EndpointContext } from './endpoint.ts';
import { conditionOf } from './endpoint-changes.ts';
import type { OwnAddress } from './own/own-address.ts';
import { canSee, visibleServers } from './visible.ts';

/**
 * Undefined where the principal has no such resource. When something was called, listed or connected is shown by some of
 * them and is no news; nor is what a failing server says at each try.
 */
export function markOf(
  { catalog }: Pick<EndpointContext, 'catalog'>,
  principal: Principal,
  address: OwnAddress,
): string | undefined {
  const { snapshot, failing } = catalog;
  const servers = visibleServers(snapshot, principal);
  const toolsOf = (server: ServerEntry) => server.tools.filter((tool) => canSee(snapshot, principal, tool));
  const markOfTools = (server: ServerEntry) => digest(toolsOf(server).map(factsOf));
  const markOfServer = (server: ServerEntry) => {
    const { title, description, instructions, resources, templates, prompts } = server;
    const offers = [...resources, ...templates, ...prompts].map(factsOf);
    return digest([
      ...[server.spec.name, conditionOf(server, failing), title, description, instructions],
      ...[markOfTools(server), ...offers],
    ]);
  };
  if (!('server' in address)) {
    const known = servers.filter((server) => conditionOf(server, failing) !== 'unknown');
    return digest(known.map(address.kind === 'servers' ? markOfServer : markOfTools));
  }
  if (address.kind === 'tool') {
    const tool = snapshot.tools.get(`${address.server}:${address.tool}`);
    return tool && canSee(snapshot, principal, tool) ? factsOf(tool) : undefined;
  }
  const server = servers.find(({ spec }) => spec.name === address.server);
  if (!server) return undefined;
  return address.kind === 'server' ? markOfServer(server) : markOfTools(server);
}

function factsOf({ key, fingerprint }: Entry): string {
  return `${key} ${fingerprint}`;
}

function digest(facts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64');
}

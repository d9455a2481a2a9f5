/** The server or tool that somebody named, or trouble that names the nearest. */

import { type Principal, serverRefusalOf } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { isVisible, visibleServers } from './visible.ts';

/** Characters of a name that is not known which are told back. */
const shownChars = 200;

/** Throws SERVER_NOT_FOUND with the nearest names. Why it is not there is said to those who may know of it. */
export function findServer(snapshot: Snapshot, principal: Principal, name: string): ServerEntry {
  const found = snapshot.servers.get(name);
  if (found && isVisible(found, principal)) return found;
  const near = nearest(
    name,
    visibleServers(snapshot, principal).map((server) => server.spec.name),
  );
  if (found && principal.scopes.has('admin')) throw whyNot(found, principal, near);
  throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${shownName(name)}".`, {
    hint: didYouMean(near),
    data: { nearest: near },
  });
}

/** A name that somebody made up, in a sentence about it. */
export function shownName(name: string): string {
  return name.length <= shownChars ? name : `${name.slice(0, shownChars).toWellFormed()}…`;
}

export function didYouMean(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`;
}

function whyNot({ spec }: ServerEntry, principal: Principal, near: readonly string[]): GatewayError {
  const { name } = spec;
  const refusal = serverRefusalOf(principal, spec);
  if (refusal === 'project') {
    const project = principal.project?.name;
    return new GatewayError('PROJECT_MISMATCH', `Server "${name}" is not in project "${project}".`, {
      hint: `Add it to the "servers" of the project, or "${project}" to "projects" of the server.`,
      data: { nearest: near },
    });
  }
  if (refusal === 'server' || refusal === 'scope') {
    return new GatewayError('ACCESS_DENIED', `The token has no access to server "${name}".`, {
      hint: `Use a token that has: toolcrib token create NAME --servers ${name}`,
      data: { nearest: near },
    });
  }
  return new GatewayError('SERVER_NOT_FOUND', `Server "${name}" is switched off.`, {
    hint: `Switch it on with: toolcrib enable ${name}`,
    data: { nearest: near, isSwitchedOff: true },
  });
}

/** `where` ends the sentence, such as ` on server "x"`. */
export function unknownTool(name: string, names: Iterable<string>, where = ''): GatewayError {
  const near = nearest(name, names);
  return new GatewayError('TOOL_NOT_FOUND', `There is no tool "${shownName(name)}"${where}.`, {
    hint: didYouMean(near),
    data: { nearest: near },
  });
}

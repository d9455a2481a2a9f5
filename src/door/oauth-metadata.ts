/** Where clients find out who gives tokens for a door (RFC 9728), while those are not our own. Open to everybody. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResourceFacts } from '../access/access.ts';
import { HttpError } from './read-request.ts';
import { doorOf, findRoute, isMcp, type Route } from './routes.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

/** The address of the document about a door; with an empty path, about the gateway as a whole. */
export function metadataUrl({ publicUrl }: ResourceFacts, door: string): string {
  const url = new URL(publicUrl);
  return `${url.origin}${wellKnown}${prefixOf(url)}${door}`;
}

/** Says the same of every name: whether a server or a project is there is for those to know who have a token. */
export function serveResourceMetadata(
  facts: ResourceFacts | null,
  route: Route,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const door = facts === null ? undefined : doorAt(facts, route.name);
  if (facts === null || door === undefined) throw new HttpError(404, 'There is nothing at this path.');
  const text = JSON.stringify({
    resource: `${facts.publicUrl}${door}`,
    authorization_servers: [facts.issuer],
    scopes_supported: [...new Set(Object.values(facts.scopes))],
    bearer_methods_supported: ['header'],
    resource_name: 'Toolcrib',
  });
  const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=300' };
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** The door that the rest of the path is about; a front end may have left the path of our public address in it or not. */
function doorAt({ publicUrl }: ResourceFacts, rest: string): string | undefined {
  const prefix = prefixOf(new URL(publicUrl));
  const path = rest === '' ? '' : `/${rest}`;
  const door = prefix !== '' && (path === prefix || path.startsWith(`${prefix}/`)) ? path.slice(prefix.length) : path;
  if (door === '') return '';
  try {
    const route = findRoute('POST', door);
    return isMcp(route) ? doorOf(route) : undefined;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

function prefixOf(url: URL): string {
  return url.pathname.replace(/\/$/, '');
}

/** A server's metadata as a protected resource (RFC 9728): its identifier, who gives out tokens for it, its scopes. */

import type { Challenge } from './challenge.ts';
import { readEndpoint } from './endpoint-url.ts';
import { type MetadataDesk, readMetadata, stringsIn } from './read-metadata.ts';
import { tidyScopes } from './scopes.ts';
import { signInFailed, strangersWords } from './sign-in-trouble.ts';

export interface ProtectedResource {
  /** To the letter as it was published: a token is asked for under this name. */
  readonly resource: string;
  /** Never empty. */
  readonly issuers: readonly [string, ...string[]];
  readonly scopes: readonly string[];
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** Undefined where the server publishes nothing. Throws where what it publishes must not be believed. */
export async function findResource(
  desk: MetadataDesk,
  serverUrl: URL,
  challenge: Challenge | undefined,
): Promise<ProtectedResource | undefined> {
  for (const place of placesFor(desk.server, serverUrl, challenge)) {
    const found = await readMetadata(desk, place);
    if (found !== undefined) return checked(desk.server, serverUrl, found, place);
  }
  return undefined;
}

/** Where the server itself points, else the well-known places: with the path of the server, then without. */
function placesFor(server: string, serverUrl: URL, challenge: Challenge | undefined): readonly URL[] {
  const named = challenge?.resourceMetadata ?? null;
  if (named !== null) {
    const url = readEndpoint(named);
    if (url === undefined) throw signInFailed(server, 'it names an address for its metadata that is not allowed.');
    return [url];
  }
  const path = serverUrl.pathname.replace(/\/$/, '');
  const root = new URL(wellKnown, serverUrl.origin);
  return path === '' ? [root] : [new URL(`${wellKnown}${path}${serverUrl.search}`, serverUrl.origin), root];
}

function checked(server: string, serverUrl: URL, found: Record<string, unknown>, place: URL): ProtectedResource {
  const { resource } = found;
  if (typeof resource !== 'string' || !isResourceOf(resource, serverUrl, place)) {
    const named = typeof resource === 'string' ? ` ("${strangersWords(resource)}")` : '';
    throw signInFailed(server, `its metadata is that of another resource${named}, not of ${serverUrl.origin}.`);
  }
  const [first, ...others] = stringsIn(found.authorization_servers);
  if (first === undefined) throw signInFailed(server, 'its metadata names no authorization server.');
  return { resource, issuers: [first, ...others], scopes: tidyScopes(stringsIn(found.scopes_supported)) };
}

/**
 * True if a resource is the server, or the part of its host that the server belongs to. Only the host can say the
 * latter: anybody else, even with a path there, could have tokens made out for all its neighbours.
 */
function isResourceOf(resource: string, serverUrl: URL, place: URL): boolean {
  const url = URL.parse(resource);
  if (url === null || url.hash !== '' || url.origin !== serverUrl.origin) return false;
  if (url.search !== '' && url.search !== serverUrl.search) return false;
  const path = url.pathname.replace(/\/$/, '');
  const own = serverUrl.pathname.replace(/\/$/, '');
  if (own === path && url.search === serverUrl.search) return true;
  const isOfHost = place.origin === serverUrl.origin && isBelow(place.pathname, wellKnown);
  return isOfHost && isBelow(own, path);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

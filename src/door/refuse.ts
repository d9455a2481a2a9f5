/** Answers a request that cannot be served, in the form that its reader expects: a page, JSON or a JSON-RPC error. */

import type { ServerResponse } from 'node:http';
import type { TokenIssuerFacts } from '../access/access.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { failure } from '../protocol/messages.ts';
import { pageHeaders, refusalPage } from './pages.ts';
import { HttpError, type TokenChallenge } from './read-request.ts';
import { doorOf, isMcp, isPage, isScope, type Route } from './routes.ts';

/** For answers that a browser must take for data only. */
export const plainHeaders = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' } as const;

/** `route`: where the request would have led, if that is known. `facts`: who gives tokens, if that is not us. */
export function refuse(
  response: ServerResponse,
  error: unknown,
  route: Route | undefined,
  facts: TokenIssuerFacts | null,
  log: Log,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const known = error instanceof HttpError ? error : undefined;
  if (!known)
    log.error('A request failed in a way that should not happen', {
      error,
      stack: error instanceof Error ? error.stack : undefined,
    });
  const status = known?.status ?? 500;
  const message = known?.message ?? 'Internal error.';
  const challenge = known?.challenge && { 'www-authenticate': challengeText(known.challenge, route, facts) };
  const headers = { ...known?.headers, ...challenge };
  if (route !== undefined && isPage(route)) {
    response.writeHead(status, { ...pageHeaders, ...headers }).end(refusalPage(status, message));
    return;
  }
  const body =
    route === undefined || !isMcp(route)
      ? { error: { code: errorCodes[status], message } }
      : failure(null, { code: known?.rpcCode ?? -32603, message });
  response.writeHead(status, { ...plainHeaders, ...headers }).end(JSON.stringify(body));
}

/** The code of a status where the answer is plain JSON. */
const errorCodes: Readonly<Record<number, ErrorCode>> = {
  400: 'USAGE',
  401: 'UNAUTHENTICATED',
  403: 'ACCESS_DENIED',
  404: 'USAGE',
  405: 'USAGE',
  408: 'TIMEOUT',
  413: 'TOO_LARGE',
  415: 'USAGE',
  429: 'RATE_LIMITED',
  503: 'UNREACHABLE',
};

/** The header of RFC 6750 and RFC 9728. `facts`: where to get a token, if that is not from us. */
export function challengeText(
  challenge: TokenChallenge,
  route: Route | undefined,
  facts: TokenIssuerFacts | null,
): string {
  const { error, description } = challenge;
  const parts = [['realm', 'toolcrib']];
  if (error !== undefined) parts.push(['error', error]);
  if (facts === null) {
    if (challenge.scope !== undefined) parts.push(['scope', challenge.scope]);
  } else {
    if (description !== undefined) parts.push(['error_description', description]);
    const scope = challenge.scope ?? (route && isScope(route.needs) ? route.needs : undefined);
    if (scope !== undefined) parts.push(['scope', facts.scopes[scope]]);
    parts.push(['resource_metadata', metadataUrl(facts, route ? doorOf(route) : '')]);
  }
  return `Bearer ${parts.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** The address of the document about a door; with an empty path, about the gateway as a whole. */
function metadataUrl({ publicUrl }: TokenIssuerFacts, door: string): string {
  const url = new URL(publicUrl);
  return `${url.origin}${wellKnown}${prefixOf(url)}${door}`;
}

/** The path of a public address, which a front end may take off. */
export function prefixOf(url: URL): string {
  return url.pathname.replace(/\/$/, '');
}

export function shuttingDown(): HttpError {
  return new HttpError(503, 'The gateway is shutting down.', {
    headers: { 'retry-after': '5', connection: 'close' },
    rpcCode: -32000,
  });
}

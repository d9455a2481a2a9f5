/** The OAuth addresses that are open to everybody: where browsers come back to, and where authorization servers and clients look us up. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenIssuerFacts } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { ServerSignIns, SignInReturn } from '../downstream/downstream.ts';
import { HttpError } from './exchange.ts';
import { messagePage, pageHeaders } from './pages.ts';
import { plainHeaders, prefixOf } from './refuse.ts';
import { doorOf, findRoute, isMcp, type Route } from './routes.ts';

/** Does nothing without the random state of a sign-in that is under way, which works once. */
export async function serveOauthCallback(
  signIns: ServerSignIns | null,
  back: SignInReturn,
  response: ServerResponse,
): Promise<void> {
  const outcome = await finish(signIns, back);
  if (response.destroyed) return;
  if (typeof outcome === 'string') {
    const text = `Toolcrib is signed in to the server ${outcome}. You can close this page.`;
    response.writeHead(200, pageHeaders).end(messagePage('Signed in', text));
  } else {
    const text = `${outcome.message} ${outcome.hint ?? ''}`.trim();
    response.writeHead(400, pageHeaders).end(messagePage('The sign-in failed', text));
  }
}

/** The name of the server, or why the sign-in failed. */
async function finish(signIns: ServerSignIns | null, back: SignInReturn): Promise<string | GatewayError> {
  try {
    if (signIns === null) throw new GatewayError('USAGE', 'This gateway has no sign-in to servers.');
    const end = await signIns.complete(back);
    return end.trouble ?? end.server;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

export function serveClientDocument(signIns: ServerSignIns | null, response: ServerResponse): void {
  const document = signIns?.clientDocument() ?? null;
  if (document !== null) {
    response.writeHead(200, { ...plainHeaders, 'cache-control': 'max-age=300' }).end(JSON.stringify(document));
    return;
  }
  const error = { code: 'USAGE', message: 'This gateway has no public https address ("oauth.publicUrl").' };
  response.writeHead(404, { ...plainHeaders, 'cache-control': 'no-store' }).end(JSON.stringify({ error }));
}

/** Names the issuer of tokens for a door (RFC 9728), while those are not our own. Answers the same for every name: only token holders may know which servers and projects exist. */
export function serveResourceMetadata(
  facts: TokenIssuerFacts | null,
  route: Route,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const door = facts === null ? undefined : doorAt(facts, route.name);
  if (facts === null || door === undefined) throw new HttpError(404, 'There is nothing at this path.');
  const text = JSON.stringify({
    resource: `${facts.publicUrl}${door}`,
    authorization_servers: [facts.issuer],
    scopes_supported: facts.offeredScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Toolcrib',
  });
  const headers = { 'content-type': 'application/json', 'cache-control': 'max-age=300' };
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** The door that the rest of the path names; a front end may have left the path of our public address in it. */
function doorAt({ publicUrl }: TokenIssuerFacts, rest: string): string | undefined {
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

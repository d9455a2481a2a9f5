/** Trouble on its way out: answers a request that cannot be served in the form that its reader expects, JSON or a JSON-RPC error. */

import type { ServerResponse } from 'node:http';
import type { TokenIssuerFacts } from '../access/access.ts';
import { type ErrorCode, GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Era } from '../protocol/eras.ts';
import { failure, RpcError, type RpcErrorBody, rpcCodes } from '../protocol/messages.ts';
import { HttpError, type TokenChallenge } from './exchange.ts';
import { doorOf, isMcp, isScope, type Route } from './routes.ts';

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

export function starting(): HttpError {
  return new HttpError(503, 'The gateway is starting.', { headers: { 'retry-after': '1' }, rpcCode: -32000 });
}

export function shuttingDown(): HttpError {
  return new HttpError(503, 'The gateway is shutting down.', {
    headers: { 'retry-after': '5', connection: 'close' },
    rpcCode: -32000,
  });
}

/** Codes of the other era, or of a hop that is not the agent's, as codes that the agent's era knows. */
const modernWords: Readonly<Record<number, number>> = {
  [rpcCodes.legacyResourceNotFound]: rpcCodes.invalidParams,
  [-32042]: rpcCodes.internalError,
  [rpcCodes.headerMismatch]: rpcCodes.internalError,
  [rpcCodes.unsupportedVersion]: rpcCodes.internalError,
};

export function toWire(error: unknown, era: Era, log: Log): RpcErrorBody {
  if (error instanceof RpcError) {
    const code = era === 'modern' ? (modernWords[error.code] ?? error.code) : error.code;
    return { ...error.toBody(), code };
  }
  if (error instanceof GatewayError) {
    const code =
      error.code === 'SERVER_NOT_FOUND' || error.code === 'ARGUMENTS_INVALID'
        ? rpcCodes.invalidParams
        : rpcCodes.internalError;
    const data = { errorType: error.code, ...(error.hint ? { hint: error.hint } : {}) };
    return { code, message: error.message, data };
  }
  log.error('A request failed in a way that should not happen', {
    error,
    stack: error instanceof Error ? error.stack : undefined,
  });
  return { code: rpcCodes.internalError, message: `Internal error: ${messageOf(error)}` };
}

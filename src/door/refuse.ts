/** How a request is answered that cannot be served: in the form in which its reader expects an answer. */

import type { ServerResponse } from 'node:http';
import type { ResourceFacts } from '../access/access.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { failure } from '../protocol/messages.ts';
import { challengeText } from './challenge.ts';
import { pageHeaders, refusalPage } from './pages.ts';
import { HttpError } from './read-request.ts';
import { isMcp, isPage, type Route } from './routes.ts';

/** For answers that a browser must take for nothing else than data. */
export const plainHeaders = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' } as const;

/** `route`: where the request would have led, if that is known. `facts`: who gives tokens, if that is not us. */
export function refuse(
  response: ServerResponse,
  error: unknown,
  route: Route | undefined,
  facts: ResourceFacts | null,
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

/** What a status means where the answer is plain JSON. */
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

export function shuttingDown(): HttpError {
  return new HttpError(503, 'The gateway is shutting down.', {
    headers: { 'retry-after': '5', connection: 'close' },
    rpcCode: -32000,
  });
}

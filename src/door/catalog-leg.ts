/** Serves a question to `/catalog/search`: plain JSON, no protocol around it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { type EndpointContext, searchCatalog } from '../endpoint/endpoint.ts';
import { readJsonBody } from './read-request.ts';

/** A question holds at most so much, whatever other requests may hold. */
const largestBody = 4_194_304;

export interface CatalogLeg {
  readonly context: EndpointContext;
  readonly principal: Principal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export async function serveCatalogSearch({ context, principal, request, response }: CatalogLeg): Promise<void> {
  const body = await readJsonBody(request, Math.min(context.config().limits.bodyBytes, largestBody));
  const signal = untilClosed(response);
  try {
    const client = request.headers['user-agent'];
    reply(response, 200, await searchCatalog(context, principal, body, { signal, client }));
  } catch (error) {
    // Nobody is left to be answered.
    if (signal.aborted) return;
    if (!(error instanceof GatewayError) || error.code !== 'ARGUMENTS_INVALID') throw error;
    reply(response, 400, { error: { code: error.code, message: error.message, hint: error.hint } });
  }
}

/** Aborts when whoever asked has gone. */
export function untilClosed(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  response.once('close', () => closing.abort(new GatewayError('CANCELLED', 'The request was closed.')));
  return closing.signal;
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

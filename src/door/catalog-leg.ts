/** Serves a question to `/catalog/search`: plain JSON, no protocol around it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { searchCatalog } from '../endpoint/endpoint.ts';
import { readJsonBody } from './read-request.ts';
import { untilClosed } from './request-places.ts';

/** A question holds at most so much, whatever other requests may hold. */
const largestBody = 4_194_304;

export interface CatalogLeg {
  readonly context: Parameters<typeof searchCatalog>[0];
  /** Who asks, as they are now; throws where they may not. */
  readonly principal: () => Principal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export async function serveCatalogSearch({ context, principal, request, response }: CatalogLeg): Promise<void> {
  const most = context.config().limits;
  const bodyBytes = Math.min(most.bodyBytes, largestBody);
  const body = await readJsonBody(request, { ...most, bodyBytes }, context.clock);
  // The question may have come long after its head, by which it was let in.
  const asking = principal();
  const signal = untilClosed(response);
  try {
    const client = request.headers['user-agent'];
    reply(response, 200, await searchCatalog(context, asking, body, { signal, client }));
  } catch (error) {
    // Nobody is left to be answered.
    if (signal.aborted) return;
    if (!(error instanceof GatewayError) || error.code !== 'ARGUMENTS_INVALID') throw error;
    reply(response, 400, { error: { code: error.code, message: error.message, hint: error.hint } });
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

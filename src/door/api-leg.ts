/** Serves a question or an order to `/api`: plain JSON, for the operation that the path names. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal, ResourceFacts } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { challengeText } from './challenge.ts';
import { type BodyLimits, readJsonBody } from './read-request.ts';
import { plainHeaders } from './refuse.ts';
import { untilClosed } from './request-places.ts';
import type { ApiHandler, Route } from './routes.ts';

export interface ApiLeg {
  readonly api: ApiHandler;
  /** Who asks, as they are now; throws where they may not. */
  readonly principal: () => Principal;
  /** Who gives tokens, if that is not the gateway itself. */
  readonly facts: ResourceFacts | null;
  readonly most: BodyLimits;
  readonly clock: Clock;
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export async function serveApi(leg: ApiLeg): Promise<void> {
  const { api, route, request, response } = leg;
  const hasBody = request.method !== 'GET' && request.method !== 'DELETE';
  const body = hasBody ? await readJsonBody(request, leg.most, leg.clock) : undefined;
  const reply = await api({
    method: request.method ?? '',
    path: route.name,
    query: route.query,
    body,
    // Only now: the order may have come long after its head, by which it was let in.
    principal: leg.principal(),
    signal: untilClosed(response),
  });
  const text = JSON.stringify(reply.body);
  const headers = { ...plainHeaders, 'cache-control': 'no-store' };
  if (response.destroyed || response.headersSent) return;
  if (reply.lacks) {
    const challenge = { error: 'insufficient_scope', scope: reply.lacks } as const;
    response.setHeader('www-authenticate', challengeText(challenge, route, leg.facts));
  }
  response.writeHead(reply.status, headers).end(text);
}

/** Routes that answer plain JSON, without a protocol around it: the operations of `/api` and the search of the catalog. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal, TokenIssuerFacts } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject, linesType } from '../base/json.ts';
import { searchCatalog } from '../endpoint/endpoint.ts';
import {
  type BodyLimits,
  isResponseOpen,
  readJsonBody,
  untilClosed,
  watchReading,
  writeStreamPart,
} from './exchange.ts';
import { passOn, type ReplicaAddresses } from './pass-on.ts';
import { challengeText, plainHeaders } from './refuse.ts';
import type { ApiHandler, Route } from './routes.ts';
import type { Sender } from './sender.ts';

interface JsonRequest {
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly sender: Sender;
  /** The caller with its rights of now; throws where it has none. Called again after the body, which may come long after the head. */
  readonly principal: () => Principal;
}

interface ApiOptions {
  readonly api: ApiHandler;
  /** The issuer of tokens, if that is not the gateway itself. */
  readonly facts: TokenIssuerFacts | null;
  readonly most: BodyLimits;
  readonly clock: Clock;
  readonly replicas: ReplicaAddresses;
}

export async function serveApi(
  { route, request, response, sender, principal }: JsonRequest,
  options: ApiOptions,
): Promise<void> {
  principal();
  const hasBody = request.method !== 'GET' && request.method !== 'DELETE';
  const body = hasBody ? await readJsonBody(request, options.most, options.clock) : undefined;
  // The id of a trial names its gateway.
  const id = isObject(body) ? body.trial : undefined;
  if (await passOn(options.replicas, { request, response, sender, id, body: JSON.stringify(body) })) return;
  const answer = await options.api({
    method: request.method ?? '',
    path: route.name,
    query: route.query,
    body,
    principal: principal(),
    signal: untilClosed(response),
    onProgress: request.headers.accept?.includes(linesType)
      ? (progress) => writeLine(response, { progress })
      : undefined,
  });
  if (response.getHeader('content-type') === linesType) {
    const { status, body: content } = answer;
    writeLine(response, { answer: { status, body: content } });
    return void response.end();
  }
  if (answer.lacks && !response.headersSent) {
    const challenge = { error: 'insufficient_scope', scope: answer.lacks } as const;
    response.setHeader('www-authenticate', challengeText(challenge, route, options.facts));
  }
  reply(response, answer.status, answer.body, { ...plainHeaders, 'cache-control': 'no-store' });
}

/** The first line says of which type the answer is: one without progress stays plain JSON. */
function writeLine(response: ServerResponse, value: unknown): void {
  if (!response.headersSent && isResponseOpen(response)) {
    response.setHeader('content-type', linesType);
    response.setHeader('cache-control', 'no-store');
    response.flushHeaders();
    watchReading(response);
  }
  writeStreamPart(response, `${JSON.stringify(value)}\n`);
}

/** The most bytes of a search, whatever other requests may hold. */
const largestSearch = 4_194_304;

export async function serveCatalogSearch(
  { request, response, principal }: JsonRequest,
  context: Parameters<typeof searchCatalog>[0],
): Promise<void> {
  principal();
  const most = context.config().limits;
  const bodyBytes = Math.min(most.bodyBytes, largestSearch);
  const body = await readJsonBody(request, { ...most, bodyBytes }, context.clock);
  const now = principal();
  const signal = untilClosed(response);
  try {
    const client = request.headers['user-agent'];
    reply(response, 200, await searchCatalog(context, now, body, { signal, client }));
  } catch (error) {
    // Nobody is left to be answered.
    if (signal.aborted) return;
    if (!(error instanceof GatewayError) || error.code !== 'ARGUMENTS_INVALID') throw error;
    reply(response, 400, { error: { code: error.code, message: error.message, hint: error.hint } });
  }
}

function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, headers).end(JSON.stringify(body));
}

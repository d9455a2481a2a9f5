/** One HTTP request to a server with the server's own credential: renewed first where need be, and sent again once where it was refused. */

import type { IncomingMessage } from 'node:http';
import { type ExchangeRequest, exchange } from './http-exchange.ts';
import type { Credential } from './oauth/credential.ts';

/** `credential` is null where the owner's headers are all there is. What was refused was not carried out: sending it again is safe. */
export async function exchangeAs(credential: Credential | null, request: ExchangeRequest): Promise<IncomingMessage> {
  if (credential === null) return exchange(request);
  let header = credential.ready;
  if (header === undefined) header = await credential.prepare(request.signal);
  for (let isRepeated = false; ; isRepeated = true) {
    const response = await exchange(header === null ? request : withHeader(request, header));
    const status = response.statusCode ?? 0;
    if (status !== 401 && status !== 403) return response;
    response.resume();
    const challenge = response.headers['www-authenticate'];
    const refusal = { status, challenge, sent: header, isRepeated };
    const next = await credential.afterRefusal(refusal, request.signal);
    if (next === undefined) return response;
    header = next;
  }
}

function withHeader(request: ExchangeRequest, authorization: string): ExchangeRequest {
  return { ...request, headers: { ...request.headers, authorization } };
}

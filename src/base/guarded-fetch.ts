/** `fetch` for URLs that others had a say in: under a dial policy, without redirects or decompression, within limits. */

import { type DialPolicy, DialRefusedError } from './dial-guard.ts';
import {
  type GuardedAnswer,
  type GuardedRequest,
  guardedRequest,
  RequestFault,
  type RequestLimits,
} from './guarded-fetch-request.ts';

export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Statuses whose answers have no body; `Response` refuses one for them. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Rejects with a RequestFault whose message is a full sentence (its `kind` says why), or with the reason of the signal.
 * A redirect is an answer like any other. It can stand in wherever a library takes a `fetch` of its caller.
 */
export function guardedFetch(policy: DialPolicy, limits: RequestLimits): GuardedFetch {
  return async (url, init) => {
    const target = new URL(url);
    try {
      // The error of the platform for such a URL would quote it.
      if (target.username !== '' || target.password !== '') {
        throw new RequestFault('refused', 'was not asked, because the URL holds a user name or a password');
      }
      return responseOf(await guardedRequest(policy, await askedOf(target, init), limits));
    } catch (error) {
      if (!(error instanceof RequestFault)) throw error;
      const sentence = error.cause instanceof DialRefusedError ? error.cause.message : null;
      throw new RequestFault(error.kind, sentence ?? `${target.origin} ${error.message}.`, error.cause);
    }
  };
}

async function askedOf(url: URL, init: RequestInit | undefined): Promise<GuardedRequest> {
  // A request of the platform reads every kind of body and header that a library may hand over.
  const request = new Request(url, { ...init, redirect: 'manual' });
  return {
    url,
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()),
    signal: init?.signal ?? undefined,
    // Sign-ins and keys are rare, and a token must not be lost with a connection that was kept too long.
    isAlone: true,
  };
}

function responseOf(answer: GuardedAnswer): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
  }
  // A body that is an array buffer of its own: the one of a Buffer may be shared with others.
  const body = withoutBody.has(answer.status) ? null : new Uint8Array(answer.body);
  return new Response(body, { status: answer.status, headers });
}

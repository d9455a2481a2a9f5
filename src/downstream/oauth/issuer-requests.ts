/** Requests to an authorization server: how we prove who we are, where we may dial, what a refusal means. */

import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretPost,
  customFetch,
  None,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { messageOf } from '../../base/errors.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import type { ClientIdentity } from './client-identity.ts';
import type { IssuerFacts } from './find-issuer.ts';
import { strangersWords } from './sign-in-trouble.ts';

export interface IssuerDesk {
  readonly server: string;
  readonly issuer: IssuerFacts;
  readonly fetch: GuardedFetch;
}

export function libraryOptions({ fetch }: IssuerDesk) {
  return {
    [customFetch]: (url: string, init: Parameters<GuardedFetch>[1]) => fetch(url, init),
    // Endpoints with http are on this machine: others were refused when the metadata was read.
    [allowInsecureRequests]: true,
  } as const;
}

/** How the client proves who it is. */
export function proofOf(client: ClientIdentity): ClientAuth {
  if (client.secret === null || client.method === 'none') return None();
  if (client.method === 'client_secret_post') return ClientSecretPost(client.secret);
  const pair = `${formEncoded(client.id)}:${formEncoded(client.secret)}`;
  const header = `Basic ${Buffer.from(pair).toString('base64')}`;
  return (_issuer, _client, _body, headers) => headers.set('authorization', header);
}

/** As forms encode it, and no more: many servers compare a "-" or "." without decoding it first. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** Why a request to an authorization server brought nothing. */
export interface IssuerRefusal {
  /** The standard's code of the error; null where it said none. */
  readonly code: string | null;
  /** True if the answer was a clear no: asking again would bring the same. */
  readonly isFinal: boolean;
  readonly sentence: string;
}

/** Codes that mean "later", whatever the status. */
const passing: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);

export function refusalFrom(error: unknown): IssuerRefusal {
  if (error instanceof ResponseBodyError) {
    const isFinal = error.status < 500 && error.status !== 429 && !passing.has(error.error);
    const words = error.error_description ?? '';
    const sentence = `the authorization server says ${strangersWords(`${error.error}${words === '' ? '' : `: ${words}`}`)}`;
    return { code: error.error, isFinal, sentence };
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    const code = error.cause.map(({ parameters }) => parameters.error).find((item) => item !== undefined) ?? null;
    // A challenge at this place can only be about the client itself.
    return {
      code: code ?? 'invalid_client',
      isFinal: true,
      sentence: `the authorization server refuses our client (HTTP ${error.status})`,
    };
  }
  const status = statusIn(error);
  if (status !== undefined) {
    return { code: null, isFinal: false, sentence: `the authorization server answered HTTP ${status}` };
  }
  return { code: null, isFinal: false, sentence: strangersWords(messageOf(error)) };
}

/** The library puts the response that it could not use into the cause. */
function statusIn(error: unknown): number | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Response && cause.status !== 200 ? cause.status : undefined;
}

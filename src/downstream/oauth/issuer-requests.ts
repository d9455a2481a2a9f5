/** Requests to an authorization server for tokens and their revocation: how we prove who we are, where we may dial, what a refusal means. Loaded on demand, with its library. */

import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type ClientAuth,
  ClientSecretPost,
  customFetch,
  deviceCodeGrantRequest,
  None,
  processAuthorizationCodeResponse,
  processDeviceCodeResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { messageOf } from '../../base/errors.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import { readScopes } from './challenge.ts';
import type { ClientIdentity } from './client-identity.ts';
import type { IssuerFacts } from './find-issuer.ts';
import { quotedWords } from './sign-in-trouble.ts';

interface IssuerContext {
  readonly server: string;
  readonly issuer: IssuerFacts;
  readonly fetch: GuardedFetch;
}

export function libraryOptions({ fetch }: IssuerContext) {
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
interface IssuerRefusal {
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
    const sentence = `the authorization server says ${quotedWords(`${error.error}${words === '' ? '' : `: ${words}`}`)}`;
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
  return { code: null, isFinal: false, sentence: quotedWords(messageOf(error)) };
}

/** The library puts the response that it could not use into the cause. */
function statusIn(error: unknown): number | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Response && cause.status !== 200 ? cause.status : undefined;
}

/** The answer to a token request. */
export interface TokenGrant {
  readonly accessToken: string;
  /** null: none came; one that was there before stays valid. */
  readonly refreshToken: string | null;
  readonly expiresInMs: number | null;
  /** null: as was asked for. */
  readonly scopes: readonly string[] | null;
}

/** Needed to request tokens. */
interface TokenContext extends IssuerContext {
  readonly client: ClientIdentity;
  /** The server that the token is for; null where it has no name for itself. */
  readonly resource: string | null;
}

interface CodeAnswer {
  /** Brought back by the browser. */
  readonly parameters: URLSearchParams;
  readonly state: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** Checks who answered (`state`, `iss`) before anything is sent to anybody. */
export async function redeemCode(context: TokenContext, answer: CodeAnswer): Promise<TokenGrant> {
  const client = { client_id: context.client.id };
  const checked = validateAuthResponse(context.issuer, client, answer.parameters, answer.state);
  const response = await authorizationCodeGrantRequest(
    context.issuer,
    client,
    proofOf(context.client),
    checked,
    answer.redirectUri,
    answer.verifier,
    tokenOptions(context),
  );
  return grantOf(await processAuthorizationCodeResponse(context.issuer, client, response));
}

export async function renewGrant(context: TokenContext, refreshToken: string): Promise<TokenGrant> {
  const client = { client_id: context.client.id };
  const response = await refreshTokenGrantRequest(
    context.issuer,
    client,
    proofOf(context.client),
    refreshToken,
    tokenOptions(context),
  );
  return grantOf(await processRefreshTokenResponse(context.issuer, client, response));
}

export async function redeemDeviceCode(context: TokenContext, deviceCode: string): Promise<TokenGrant> {
  const client = { client_id: context.client.id };
  const response = await deviceCodeGrantRequest(
    context.issuer,
    client,
    proofOf(context.client),
    deviceCode,
    tokenOptions(context),
  );
  return grantOf(await processDeviceCodeResponse(context.issuer, client, response));
}

/** Only where the issuer has a place for it. */
export async function revokeToken(context: IssuerContext, client: ClientIdentity, token: string): Promise<boolean> {
  if (context.issuer.revocation_endpoint === undefined) return false;
  const self = { client_id: client.id };
  const response = await revocationRequest(context.issuer, self, proofOf(client), token, libraryOptions(context));
  await processRevocationResponse(response);
  return true;
}

function tokenOptions(context: TokenContext) {
  const additionalParameters = new URLSearchParams(context.resource === null ? {} : { resource: context.resource });
  return { ...libraryOptions(context), additionalParameters };
}

/** A token fit for a header. */
const legalToken = /^[\x21-\x7e]{1,16384}$/;

function grantOf(response: TokenEndpointResponse): TokenGrant {
  const { access_token: accessToken, refresh_token, expires_in, scope } = response;
  if (response.token_type !== 'bearer') throw new Error(`tokens of the kind "${response.token_type}" cannot be used`);
  if (!legalToken.test(accessToken)) throw new Error('the token has characters that a header cannot hold');
  return {
    accessToken,
    refreshToken: refresh_token ?? null,
    expiresInMs: expires_in === undefined ? null : expires_in * 1_000,
    scopes: scope === undefined ? null : readScopes(scope),
  };
}

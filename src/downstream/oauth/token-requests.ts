/** Requests for tokens: for a code, for a refresh token, for a device; and their revocation. */

import {
  authorizationCodeGrantRequest,
  deviceCodeGrantRequest,
  processAuthorizationCodeResponse,
  processDeviceCodeResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import type { ClientIdentity } from './client-identity.ts';
import { type IssuerDesk, libraryOptions, proofOf } from './issuer-requests.ts';
import { readScopes } from './scopes.ts';

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
export interface TokenDesk extends IssuerDesk {
  readonly client: ClientIdentity;
  /** The server that the token is for; null where it has no name for itself. */
  readonly resource: string | null;
}

export interface CodeAnswer {
  /** Brought back by the browser. */
  readonly parameters: URLSearchParams;
  readonly state: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** Checks who answered (`state`, `iss`) before anything is sent to anybody. */
export async function redeemCode(desk: TokenDesk, answer: CodeAnswer): Promise<TokenGrant> {
  const client = { client_id: desk.client.id };
  const checked = validateAuthResponse(desk.issuer, client, answer.parameters, answer.state);
  const response = await authorizationCodeGrantRequest(
    desk.issuer,
    client,
    proofOf(desk.client),
    checked,
    answer.redirectUri,
    answer.verifier,
    tokenOptions(desk),
  );
  return grantOf(await processAuthorizationCodeResponse(desk.issuer, client, response));
}

export async function renewGrant(desk: TokenDesk, refreshToken: string): Promise<TokenGrant> {
  const client = { client_id: desk.client.id };
  const response = await refreshTokenGrantRequest(
    desk.issuer,
    client,
    proofOf(desk.client),
    refreshToken,
    tokenOptions(desk),
  );
  return grantOf(await processRefreshTokenResponse(desk.issuer, client, response));
}

export async function redeemDeviceCode(desk: TokenDesk, deviceCode: string): Promise<TokenGrant> {
  const client = { client_id: desk.client.id };
  const response = await deviceCodeGrantRequest(
    desk.issuer,
    client,
    proofOf(desk.client),
    deviceCode,
    tokenOptions(desk),
  );
  return grantOf(await processDeviceCodeResponse(desk.issuer, client, response));
}

/** Only where the issuer has a place for it. */
export async function revokeToken(desk: IssuerDesk, client: ClientIdentity, token: string): Promise<boolean> {
  if (desk.issuer.revocation_endpoint === undefined) return false;
  const self = { client_id: client.id };
  const response = await revocationRequest(desk.issuer, self, proofOf(client), token, libraryOptions(desk));
  await processRevocationResponse(response);
  return true;
}

function tokenOptions(desk: TokenDesk) {
  const additionalParameters = new URLSearchParams(desk.resource === null ? {} : { resource: desk.resource });
  return { ...libraryOptions(desk), additionalParameters };
}

/** A token fit for a header. */
const legalToken = /^[\x21-\x7e]{1,16384}$/;

function grantOf(response: TokenEndpointResponse): TokenGrant {
  const { access_token: accessToken, refresh_token, expires_in, scope } = response;
  if (response.token_type !== 'bearer') throw new Error(`tokens of the kind "${response.token_type}" cannot be used`);
  if (!legalToken.test(accessToken)) throw new Error('the token holds what cannot stand in a header');
  return {
    accessToken,
    refreshToken: refresh_token ?? null,
    expiresInMs: expires_in === undefined ? null : expires_in * 1_000,
    scopes: scope === undefined ? null : readScopes(scope),
  };
}

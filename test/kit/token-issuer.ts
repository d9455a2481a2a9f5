/** An issuer whose keys a test has in its hands: it can sign anything, change its keys, and be away. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';

export interface SigningKey {
  readonly id: string;
  readonly publicJwk: Record<string, unknown>;
  readonly privateKey: CryptoKey;
  /** `header` is added to the usual one. */
  sign(claims: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
}

export async function makeKey(id: string, algorithm = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid: id, alg: algorithm, use: 'sig' };
  return {
    id,
    publicJwk,
    privateKey,
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: id, typ: 'at+jwt', ...header }).sign(privateKey),
  };
}

export interface TokenIssuer extends AsyncDisposable {
  readonly url: string;
  readonly key: SigningKey;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  publish(...keys: SigningKey[]): void;
  /** From now on questions are answered with this status; 200: as they should be. */
  answerWith(status: number): void;
  /** A good token for an audience. */
  token(audience: string, claims?: Record<string, unknown>): Promise<string>;
}

/** `now`: what its clock says, in milliseconds. */
export async function startTokenIssuer(now: () => number = Date.now): Promise<TokenIssuer> {
  const key = await makeKey('first');
  const asked: string[] = [];
  let set: JSONWebKeySet = { keys: [key.publicJwk] } as JSONWebKeySet;
  let status = 200;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const documents: Record<string, unknown> = {
      '/.well-known/oauth-authorization-server': { issuer: url, jwks_uri: `${url}/keys` },
      '/keys': set,
    };
    const found = documents[request.url ?? ''];
    const isFound = status === 200 && found !== undefined;
    response.writeHead(isFound ? 200 : status === 200 ? 404 : status, { 'content-type': 'application/json' });
    response.end(isFound ? JSON.stringify(found) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    key,
    asked,
    publish: (...keys) => {
      set = { keys: keys.map(({ publicJwk }) => publicJwk) } as JSONWebKeySet;
    },
    answerWith: (other) => {
      status = other;
    },
    token: (audience, claims = {}) => {
      const seconds = Math.floor(now() / 1_000);
      const usual = { iss: url, aud: audience, sub: 'anna', iat: seconds, exp: seconds + 600, scope: 'toolcrib:use' };
      return key.sign({ ...usual, ...claims });
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

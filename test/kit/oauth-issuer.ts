/** A real authorization server on loopback whose only user agrees to everything, and which remembers what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface TokenRequest {
  readonly grantType: string;
  readonly client: string | null;
  readonly resource: string | null;
}

export interface TestIssuer extends AsyncDisposable {
  readonly url: string;
  /** Requests to the token endpoint, in order. */
  readonly tokenRequests: readonly TokenRequest[];
  readonly registrations: number;
  /** The last registration at the client metadata endpoint. */
  readonly lastRegistration: Record<string, unknown> | undefined;
  /** Scopes and audience of a valid access token. */
  check(token: string): Promise<{ readonly scopes: readonly string[]; readonly audience: string } | undefined>;
  /** Every grant is withdrawn: neither access nor refresh tokens are good any more. */
  withdraw(): Promise<void>;
  /** From now on, answers of the token endpoint are treated so. */
  misbehave(how: 'not' | 'cut-after-answer' | 'unavailable'): void;
}

export interface TestIssuerOptions {
  /** Scopes of the resources it gives tokens for. */
  readonly scopes: string;
  readonly accessTokenSeconds?: number;
  readonly clients?: readonly Record<string, unknown>[];
  readonly hasRegistration?: boolean;
  /** The kind of access tokens: opaque by default. */
  readonly tokenFormat?: 'opaque' | 'jwt';
  /** True if clients can register for the scopes of resources; otherwise only for its own. */
  readonly listsScopes?: boolean;
}

const account = 'somebody';

export async function startIssuer(options: TestIssuerOptions): Promise<TestIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, configurationOf(options));
  const answer = provider.callback();
  const tokenRequests: TokenRequest[] = [];
  const grants = new Set<string>();
  const seen: { registrations: number; last: Record<string, unknown> | undefined } = {
    registrations: 0,
    last: undefined,
  };
  let misbehaviour: Parameters<TestIssuer['misbehave']>[0] = 'not';
  server.on('request', async (request, response) => {
    const path = new URL(request.url ?? '/', url).pathname;
    if (path.startsWith('/interaction/')) return agree(provider, grants, request, response);
    if (request.method !== 'POST') return answer(request, response);
    const body = await bodyOf(request);
    if (path === '/reg') {
      seen.registrations += 1;
      seen.last = JSON.parse(body) as Record<string, unknown>;
    }
    if (path === '/token') {
      tokenRequests.push(readTokenRequest(body));
      if (misbehaviour === 'unavailable') return response.writeHead(503).end('later');
      // The answer is made, and what it says is true from then on; it just never arrives. A second try would end the whole grant.
      if (misbehaviour === 'cut-after-answer') {
        response.end = () => response.destroy() as never;
        misbehaviour = 'unavailable';
      }
    }
    return answer(Object.assign(request, { body: parsedBody(request, body) }), response);
  });
  return {
    url,
    tokenRequests,
    get registrations() {
      return seen.registrations;
    },
    get lastRegistration() {
      return seen.last;
    },
    check: async (value) => {
      const token = await provider.AccessToken.find(value);
      if (!token || token.isExpired) return undefined;
      return { scopes: (token.scope ?? '').split(' '), audience: String(token.aud ?? '') };
    },
    withdraw: async () => {
      for (const id of grants) await (await provider.Grant.find(id))?.destroy();
    },
    misbehave: (how) => {
      misbehaviour = how;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function configurationOf(options: TestIssuerOptions): Record<string, unknown> {
  const resource = {
    scope: options.scopes,
    accessTokenFormat: options.tokenFormat ?? 'opaque',
    accessTokenTTL: options.accessTokenSeconds ?? 3_600,
  };
  return {
    clients: options.clients ?? [],
    scopes: ['openid', 'offline_access', ...(options.listsScopes ? options.scopes.split(' ') : [])],
    cookies: { keys: ['a key for tests'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: options.hasRegistration ?? true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        getResourceServerInfo: () => resource,
        useGrantedResource: () => true,
      },
    },
    ttl: { AccessToken: options.accessTokenSeconds ?? 3_600, Session: 600, Interaction: 600, Grant: 3_600 },
  };
}

/** Signs in and grants everything that is missing. */
async function agree(
  provider: Provider,
  grants: Set<string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    const result = { login: { accountId: account } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId: account, clientId: String(params.client_id) });
  const { missingOIDCScope, missingResourceScopes } = prompt.details;
  if (Array.isArray(missingOIDCScope)) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries((missingResourceScopes ?? {}) as Record<string, string[]>)) {
    grant.addResourceScope(resource, scopes.join(' '));
  }
  const id = await grant.save();
  grants.add(id);
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId: id } },
    { mergeWithLastSubmission: true },
  );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** The library takes a body that was read before, as other middleware leaves it. */
function parsedBody(request: IncomingMessage, body: string): unknown {
  if (request.headers['content-type']?.includes('json')) return JSON.parse(body);
  return Object.fromEntries(new URLSearchParams(body));
}

function readTokenRequest(body: string): TokenRequest {
  const form = new URLSearchParams(body);
  return { grantType: form.get('grant_type') ?? '', client: form.get('client_id'), resource: form.get('resource') };
}

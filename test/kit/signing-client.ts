/** An agent that signs in by itself: the SDK's client, with a person at a browser who agrees to everything. */

import assert from 'node:assert/strict';
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { visit } from './oauth-browser.ts';

export const redirectUrl = 'http://127.0.0.1:1/callback';

/** The state that such an agent keeps between its sign-ins. */
export class SigningClient implements OAuthClientProvider {
  /** Where the person was sent, in order. */
  readonly sentTo: URL[] = [];
  readonly redirectUrl = redirectUrl;
  readonly clientMetadata = {
    client_name: 'signing client',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
  #known: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;

  /** `known`: as what it is registered already. */
  constructor(known?: StoredOAuthClientInformation) {
    this.#known = known;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#known;
  }

  saveClientInformation(known: StoredOAuthClientInformation): void {
    this.#known = known;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.sentTo.push(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.#discovered = discovered;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  /** The parameters that the browser comes back with. */
  async agree(): Promise<URLSearchParams> {
    const url = this.sentTo.at(-1);
    assert.ok(url, 'Nobody was sent anywhere.');
    return new URL((await visit(url.href, redirectUrl)).url).searchParams;
  }
}

/** Connects to a door; where that wants a sign-in first, does it and connects again. */
export async function connectSigning(provider: SigningClient, url: string, isModern: boolean): Promise<Client> {
  const connect = async (transport: StreamableHTTPClientTransport) => {
    const mode = isModern ? { pin: '2026-07-28' as const } : 'legacy';
    const client = new Client({ name: 'signing-client', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    return client;
  };
  const open = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const first = open();
  const before = provider.sentTo.length;
  try {
    return await connect(first);
  } catch (error) {
    if (provider.sentTo.length === before) throw error;
    await first.finishAuth(await provider.agree());
    return connect(open());
  }
}

/** Everything that is found out before a sign-in can begin: who gives out the tokens, who we are to them, what to ask for. */

import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import type { OAuthSettings } from '../../config/config.ts';
import { type Challenge, chooseScopes } from './challenge.ts';
import {
  type ClientDocument,
  type ClientIdentity,
  knownClient,
  redirectUriFor,
  registerClient,
} from './client-identity.ts';
import { findIssuer, findIssuerAtHost, findResource, type IssuerFacts, type ProtectedResource } from './find-issuer.ts';
import { signInFailed } from './sign-in-trouble.ts';
import type { CredentialRecord } from './stored-credentials.ts';

export interface SignInPlan {
  readonly server: string;
  /** The address of the server, as its owner wrote it. */
  readonly url: string;
  readonly issuer: IssuerFacts;
  /** null where the server has published no name for itself. */
  readonly resource: string;
  readonly client: ClientIdentity;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly fetch: GuardedFetch;
}

export interface PlanRequest {
  readonly server: string;
  readonly url: string;
  readonly settings: OAuthSettings | null;
  readonly challenge: Challenge | undefined;
  readonly earlier: CredentialRecord | null;
  readonly document: ClientDocument | null;
  /** Where the gateway takes browsers that come back. */
  readonly callback: string;
  readonly fetch: GuardedFetch;
}

export async function planSignIn(request: PlanRequest): Promise<SignInPlan> {
  const { server, url, settings, challenge, document, callback, fetch } = request;
  const context = { server, fetch };
  const serverUrl = new URL(url);
  const resource = await findResource(context, serverUrl, challenge);
  const issuer = await issuerOf(request, resource);
  // An agreement with one issuer means nothing to another.
  const earlier = request.earlier?.issuer.issuer === issuer.issuer ? request.earlier : null;
  // The owner registered the client by hand, for one address and with an issuer that he named.
  const redirectUri = settings?.clientId ? callback : redirectUriFor(issuer, callback);
  const choice = { server, issuer, settings, document, redirectUri, earlier: earlier?.client ?? null };
  const client = knownClient(choice) ?? (await registerClient({ server, issuer, fetch }, redirectUri));
  const scopes = chooseScopes({
    configured: settings?.scopes ?? null,
    challenged: challenge?.scopes ?? [],
    listed: resource?.scopes ?? [],
    earlier: earlier?.scopes ?? [],
    offered: issuer.scopes_supported ?? [],
  });
  return {
    server,
    url,
    issuer,
    resource: resource?.resource ?? canonical(serverUrl),
    client,
    scopes,
    redirectUri,
    fetch,
  };
}

async function issuerOf(
  { server, url, settings, challenge, earlier, fetch }: PlanRequest,
  resource: ProtectedResource | undefined,
): Promise<IssuerFacts> {
  const context = { server, fetch };
  if (resource === undefined) {
    const found = await findIssuerAtHost(context, new URL(url));
    if (found !== undefined) return found;
    const why = challenge === undefined ? 'it does not ask for one.' : 'it does not say who gives out its tokens.';
    throw signInFailed(server, why, { hint: 'If it wants a key, give it under "headers" in the config.' });
  }
  // Where there are several, the one that is known already.
  const known = [settings?.issuer, earlier?.issuer.issuer].find((name) => name && resource.issuers.includes(name));
  return findIssuer(context, known ?? resource.issuers[0]);
}

/** The name of a server that has published none: its address, without what is no part of a name. */
function canonical(url: URL): string {
  const plain = new URL(url);
  plain.hash = '';
  return plain.pathname === '/' && plain.search === '' ? plain.origin : plain.href;
}

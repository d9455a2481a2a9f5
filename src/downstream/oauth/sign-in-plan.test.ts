/** The plan of a sign-in: with whom, as whom, and for what. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redirectUriFor } from './client-identity.ts';
import { type PlanRequest, planSignIn } from './sign-in-plan.ts';
import type { CredentialRecord } from './stored-credentials.ts';

const url = 'https://far.example/mcp';
const callback = 'http://127.0.0.1:3333/oauth/callback';
/** For the first issuer, which does not name itself in its answers. */
const redirectUri = redirectUriFor({ issuer: 'https://first.example', token_endpoint: '' }, callback);

/** A server with these issuers; each of them registers whoever asks. */
function worldOf(...issuers: string[]): PlanRequest['fetch'] {
  return async (address) => {
    const place = String(address);
    const issuer = issuers.find((name) => place.startsWith(name));
    if (place.startsWith('https://far.example')) {
      return Response.json({ resource: url, authorization_servers: issuers, scopes_supported: ['listed'] });
    }
    if (issuer === undefined) return new Response('', { status: 404 });
    if (place.endsWith('/register')) return Response.json({ client_id: `registered at ${issuer}` }, { status: 201 });
    const endpoints = { token_endpoint: `${issuer}/token`, registration_endpoint: `${issuer}/register` };
    return Response.json({ issuer, ...endpoints, token_endpoint_auth_methods_supported: ['none'] });
  };
}

const request = (fetch: PlanRequest['fetch']): PlanRequest => ({
  server: 'far',
  url,
  settings: null,
  challenge: undefined,
  earlier: null,
  document: null,
  callback,
  fetch,
});

const earlier: CredentialRecord = {
  url,
  resource: url,
  issuer: { issuer: 'https://first.example', token_endpoint: 'https://first.example/token' },
  client: {
    id: 'of the first',
    secret: 'secret of the first',
    method: 'client_secret_basic',
    kind: 'registered',
    redirectUri,
  },
  scopes: ['granted-by-the-first'],
  tokens: null,
};

test('all of it comes from the server, its issuer and a registration there', async () => {
  const plan = await planSignIn(request(worldOf('https://first.example')));
  assert.equal(plan.issuer.issuer, 'https://first.example');
  assert.equal(plan.resource, url);
  assert.deepEqual(plan.scopes, ['listed']);
  assert.equal(plan.client.id, 'registered at https://first.example');
});

test('an earlier sign-in is built upon at the same issuer', async () => {
  const plan = await planSignIn({ ...request(worldOf('https://other.example', 'https://first.example')), earlier });
  assert.equal(plan.issuer.issuer, 'https://first.example');
  assert.equal(plan.client.id, 'of the first');
  assert.deepEqual(plan.scopes, ['listed', 'granted-by-the-first']);
});

test('at another issuer nothing of it is used', async () => {
  const plan = await planSignIn({ ...request(worldOf('https://second.example')), earlier });
  assert.equal(plan.client.id, 'registered at https://second.example');
  assert.equal(plan.client.secret, null);
  assert.deepEqual(plan.scopes, ['listed']);
});

test('a server that publishes nothing, and is no issuer itself, cannot be signed in to', async () => {
  const nobody = async () => new Response('', { status: 404 });
  await assert.rejects(planSignIn(request(nobody)), /it does not ask for one/);
  const challenge = { resourceMetadata: null, scopes: [], error: null };
  await assert.rejects(planSignIn({ ...request(nobody), challenge }), /who gives out its tokens/);
});

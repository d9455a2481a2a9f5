/** Our client at an authorization server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClientChoice,
  type ClientIdentity,
  describeClient,
  knownClient,
  methodToRegister,
  registerClient,
} from './client-identity.ts';

const issuer = { issuer: 'https://id.example', token_endpoint: 'https://id.example/token' };
const redirectUri = 'http://127.0.0.1:3333/oauth/callback';
const registered: ClientIdentity = { id: 'r', secret: null, method: 'none', kind: 'registered', redirectUri };
const choice: ClientChoice = {
  server: 'far',
  issuer,
  settings: null,
  document: null,
  redirectUri,
  earlier: null,
};
const own = { isOff: false, clientId: 'mine', clientSecret: null, scopes: null, issuer: issuer.issuer };
const withDocuments = {
  ...issuer,
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
};

test("the owner's client comes first, then our document, then what was registered before, then none", () => {
  const document = { url: 'https://crib.example/oauth/client.json', isOurs: true };
  const all = { ...choice, issuer: withDocuments, settings: own, document, earlier: registered };
  assert.equal(knownClient(all)?.id, 'mine');
  assert.deepEqual(knownClient({ ...all, settings: null }), {
    id: document.url,
    secret: null,
    method: 'none',
    kind: 'document',
    redirectUri: null,
  });
  assert.equal(knownClient({ ...all, settings: null, issuer })?.id, 'r');
  assert.equal(knownClient({ ...all, settings: null, document: null })?.id, 'r');
  assert.equal(knownClient(choice), undefined);
});

test('a client that was registered for another address is not used again', () => {
  const moved = { ...choice, earlier: registered, redirectUri: 'http://127.0.0.1:4444/oauth/callback' };
  assert.equal(knownClient(moved), undefined);
});

test("the owner's client is shown to no other issuer than the one it is for", () => {
  const settings = { ...own, clientSecret: 'secret', issuer: 'https://other.example' };
  assert.throws(() => knownClient({ ...choice, settings }), /its authorization server is "https:\/\/id.example"/);
  assert.equal(knownClient({ ...choice, settings: { ...settings, issuer: 'https://id.example' } })?.secret, 'secret');
});

test("the owner's client is shown to nobody where nobody said whom it is for", () => {
  const settings = { ...own, clientSecret: 'secret', issuer: null };
  assert.throws(
    () => knownClient({ ...choice, settings }),
    ({ message, hint }: { message: string; hint: string }) => {
      assert.match(message, /does not say which authorization server it is for, and the server names "https:\/\/id/);
      return hint.includes('add "issuer": "https://id.example" to "oauth"');
    },
  );
});

test('our document goes only to issuers whose answers name them', () => {
  const unnamed = { ...issuer, client_id_metadata_document_supported: true };
  const document = { url: 'https://crib.example/oauth/client.json', isOurs: true };
  assert.equal(knownClient({ ...choice, issuer: unnamed, document }), undefined);
  const theirs = { ...document, isOurs: false };
  assert.equal(knownClient({ ...choice, issuer: unnamed, document: theirs })?.kind, 'document');
});

test('how a client proves itself follows what the issuer takes', () => {
  const methodFor = (offered: string[] | undefined, clientSecret: string | null) => {
    const offers = offered === undefined ? {} : { token_endpoint_auth_methods_supported: offered };
    return knownClient({ ...choice, issuer: { ...issuer, ...offers }, settings: { ...own, clientSecret } })?.method;
  };
  assert.equal(methodFor(undefined, null), 'none');
  assert.equal(methodFor(undefined, 's'), 'client_secret_basic');
  assert.equal(methodFor(['client_secret_post'], 's'), 'client_secret_post');
  assert.equal(methodFor(['client_secret_post', 'client_secret_basic'], 's'), 'client_secret_basic');
  const toRegister = (offered: string[]) =>
    methodToRegister({ ...issuer, token_endpoint_auth_methods_supported: offered });
  assert.equal(toRegister(['client_secret_basic', 'none']), 'none');
  assert.equal(toRegister(['client_secret_post']), 'client_secret_post');
  assert.equal(methodToRegister(issuer), 'client_secret_basic');
});

test('the gateway describes itself as a client only where it has a public address', () => {
  const settings = { publicUrl: null, clientMetadataUrl: null };
  assert.equal(describeClient(settings), null);
  const described = describeClient({ ...settings, publicUrl: 'https://crib.example/' });
  assert.equal(described?.client_id, 'https://crib.example/oauth/client.json');
});

test('a registration states the kind of program, and keeps the secret that it gets', async () => {
  const asked: { application_type?: string }[] = [];
  const fetch = async (_address: unknown, init: RequestInit = {}) => {
    asked.push(JSON.parse(String(init.body)));
    return Response.json({ client_id: 'c', client_secret: 'sesame' }, { status: 201 });
  };
  const context = { server: 'far', issuer: { ...issuer, registration_endpoint: 'https://id.example/register' }, fetch };
  const client = await registerClient(context, redirectUri);
  assert.deepEqual(client, {
    id: 'c',
    secret: 'sesame',
    method: 'client_secret_basic',
    kind: 'registered',
    redirectUri,
  });
  await registerClient(context, 'https://crib.example/oauth/callback');
  assert.deepEqual(
    asked.map(({ application_type }) => application_type),
    ['native', 'web'],
  );
});

/** How the metadata of an authorization server is looked for, and when it is believed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findIssuer, findIssuerAtHost } from './find-issuer.ts';
import type { MetadataDesk } from './read-metadata.ts';

function desk(pages: Record<string, unknown>): MetadataDesk & { readonly asked: string[] } {
  const asked: string[] = [];
  const fetch = async (url: string | URL) => {
    asked.push(String(url));
    const found = pages[String(url)];
    return found === undefined ? new Response('no', { status: 404 }) : new Response(JSON.stringify(found));
  };
  return { server: 'far', fetch, asked };
}

const facts = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: null,
  of_no_use: { here: true },
});

test('each place is asked in the order of the protocol, until one answers', async () => {
  const plain = desk({});
  await assert.rejects(findIssuer(plain, 'https://id.example'), /says how to sign in/);
  assert.deepEqual(plain.asked, [
    'https://id.example/.well-known/oauth-authorization-server',
    'https://id.example/.well-known/openid-configuration',
  ]);
  const last = 'https://id.example/tenant/.well-known/openid-configuration';
  const tenant = desk({ [last]: facts('https://id.example/tenant') });
  const { of_no_use, registration_endpoint, ...expected } = facts('https://id.example/tenant');
  assert.deepEqual(await findIssuer(tenant, 'https://id.example/tenant'), expected);
  assert.deepEqual(tenant.asked, [
    'https://id.example/.well-known/oauth-authorization-server/tenant',
    'https://id.example/.well-known/openid-configuration/tenant',
    last,
  ]);
});

test('a name that is only alike is another issuer', async () => {
  const place = 'https://id.example/.well-known/oauth-authorization-server';
  for (const other of [
    'https://id.example/',
    'https://ID.example',
    'https://id.example:443',
    'http://id.example',
    'https://evil.example',
  ]) {
    const asking = desk({ [place]: { ...facts('https://id.example'), issuer: other } });
    await assert.rejects(findIssuer(asking, 'https://id.example'), /that of another one/, other);
    // A false answer at one place ends the search.
    assert.equal(asking.asked.length, 1);
  }
});

test('endpoints that must not be asked make all of it useless', async () => {
  const place = 'https://id.example/.well-known/oauth-authorization-server';
  for (const [member, value] of [
    ['token_endpoint', 'http://inside.example/token'],
    ['token_endpoint', undefined],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['authorization_endpoint', 'http://a$(touch P)'],
    ['registration_endpoint', 'file:///etc/passwd'],
  ] as const) {
    const asking = desk({ [place]: { ...facts('https://id.example'), [member]: value } });
    await assert.rejects(findIssuer(asking, 'https://id.example'), new RegExp(member), String(value));
  }
  for (const issuer of ['http://id.example', 'javascript:1', 'https://id.example?x=1']) {
    const asking = desk({});
    await assert.rejects(findIssuer(asking, issuer), /no address that a sign-in may go to/);
    assert.deepEqual(asking.asked, []);
  }
});

test('a server of the time before resource metadata may be its own issuer', async () => {
  const place = 'https://far.example/.well-known/oauth-authorization-server';
  const url = new URL('https://far.example/mcp');
  for (const name of ['https://far.example', 'https://far.example/']) {
    const found = await findIssuerAtHost(desk({ [place]: { ...facts('https://far.example'), issuer: name } }), url);
    assert.equal(found?.issuer, name);
  }
  assert.equal(await findIssuerAtHost(desk({}), url), undefined);
});

/** Tests of finding a resource and its issuer: which addresses are asked, and which answers are believed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findIssuer,
  findIssuerAtHost,
  findResource,
  isConfidential,
  type MetadataContext,
  readEndpoint,
} from './find-issuer.ts';

const challenged = (resourceMetadata: string | null) => ({ resourceMetadata, scopes: [], error: null });

/** Answers from a table; what is not in it is not found. */
function pagesAt(pages: Record<string, unknown>): MetadataContext & { readonly asked: string[] } {
  const asked: string[] = [];
  const fetch = async (url: string | URL) => {
    asked.push(String(url));
    const found = pages[String(url)];
    return found === undefined ? new Response('no', { status: 404 }) : new Response(JSON.stringify(found));
  };
  return { server: 'far', fetch, asked };
}

const resourceFacts = (resource: string) => ({ resource, authorization_servers: ['https://id.example'] });
const byPath = 'https://far.example/.well-known/oauth-protected-resource/mcp';
const byRoot = 'https://far.example/.well-known/oauth-protected-resource';

test('the place that the server names is the only one that is asked', async () => {
  const place = 'https://far.example/custom.json';
  const asking = pagesAt({ [place]: { ...resourceFacts('https://far.example/mcp'), scopes_supported: ['a', 7, 'b'] } });
  const found = await findResource(asking, new URL('https://far.example/mcp'), challenged(place));
  const expected = { resource: 'https://far.example/mcp', issuers: ['https://id.example'], scopes: ['a', 'b'] };
  assert.deepEqual(found, expected);
  assert.deepEqual(asking.asked, [place]);
});

test('without one, the well-known place with the path comes before the one without', async () => {
  const url = new URL('https://far.example/mcp');
  const first = pagesAt({
    [byPath]: resourceFacts('https://far.example/mcp'),
    [byRoot]: resourceFacts('https://far.example'),
  });
  assert.equal((await findResource(first, url, undefined))?.resource, 'https://far.example/mcp');
  assert.deepEqual(first.asked, [byPath]);
  const second = pagesAt({ [byRoot]: resourceFacts('https://far.example') });
  // To the letter: no slash is added.
  assert.equal((await findResource(second, url, challenged(null)))?.resource, 'https://far.example');
  assert.equal(await findResource(pagesAt({}), url, undefined), undefined);
});

test('metadata of another resource is not believed', async () => {
  const url = new URL('https://far.example/mcp');
  for (const other of [
    'https://evil.example/mcp',
    'http://far.example/mcp',
    'https://far.example:444/mcp',
    'https://far.example/mcp2',
    'https://far.example/mc',
    'https://far.example/mcp#a',
    'https://far.example/mcp?tenant=2',
    'far.example',
    7,
    undefined,
  ]) {
    const asking = pagesAt({ [byPath]: { ...resourceFacts(''), resource: other } });
    await assert.rejects(findResource(asking, url, undefined), /another resource/, String(other));
  }
  const nobody = pagesAt({ [byPath]: { resource: 'https://far.example/mcp', authorization_servers: [] } });
  await assert.rejects(findResource(nobody, url, undefined), /names no authorization server/);
});

test('a token for more than the server is asked for only where its host says so, in the place for it', async () => {
  const url = new URL('https://far.example/tenants/one/mcp');
  const well = 'https://far.example/.well-known/oauth-protected-resource';
  const parents = ['https://far.example', 'https://far.example/tenants', 'https://far.example/tenants/one'];
  const elsewhere = well.replace('far', 'evil');
  for (const place of ['https://far.example/tenants/one/meta.json', elsewhere, `${well}-2`]) {
    for (const parent of parents) {
      const found = findResource(pagesAt({ [place]: resourceFacts(parent) }), url, challenged(place));
      await assert.rejects(found, /another resource/, `${place} ${parent}`);
    }
    const exact = pagesAt({ [place]: resourceFacts(url.href) });
    assert.equal((await findResource(exact, url, challenged(place)))?.resource, url.href);
  }
  for (const place of [well, `${well}/tenants`]) {
    const found = await findResource(
      pagesAt({ [place]: resourceFacts('https://far.example') }),
      url,
      challenged(place),
    );
    assert.equal(found?.resource, 'https://far.example');
  }
  const asked = new URL('https://far.example/mcp?tenant=1');
  const wider = pagesAt({ 'https://evil.example/': resourceFacts('https://far.example/mcp') });
  await assert.rejects(findResource(wider, asked, challenged('https://evil.example/')), /another resource/);
});

test('a place that must not be asked is not asked', async () => {
  for (const place of ['http://inside.example/x', 'file:///etc/passwd', 'javascript:1']) {
    const asking = pagesAt({});
    const found = findResource(asking, new URL('https://far.example/mcp'), challenged(place));
    await assert.rejects(found, /not allowed/);
    assert.deepEqual(asking.asked, []);
  }
});

const issuerFacts = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: null,
  of_no_use: { here: true },
});

test('each place is asked in the order of the protocol, until one answers', async () => {
  const plain = pagesAt({});
  await assert.rejects(findIssuer(plain, 'https://id.example'), /says how to sign in/);
  assert.deepEqual(plain.asked, [
    'https://id.example/.well-known/oauth-authorization-server',
    'https://id.example/.well-known/openid-configuration',
  ]);
  const last = 'https://id.example/tenant/.well-known/openid-configuration';
  const tenant = pagesAt({ [last]: issuerFacts('https://id.example/tenant') });
  const { of_no_use, registration_endpoint, ...expected } = issuerFacts('https://id.example/tenant');
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
    const asking = pagesAt({ [place]: { ...issuerFacts('https://id.example'), issuer: other } });
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
    const asking = pagesAt({ [place]: { ...issuerFacts('https://id.example'), [member]: value } });
    await assert.rejects(findIssuer(asking, 'https://id.example'), new RegExp(member), String(value));
  }
  for (const issuer of ['http://id.example', 'javascript:1', 'https://id.example?x=1']) {
    const asking = pagesAt({});
    await assert.rejects(findIssuer(asking, issuer), /not an allowed address for a sign-in/);
    assert.deepEqual(asking.asked, []);
  }
});

test('a server of the time before resource metadata may be its own issuer', async () => {
  const place = 'https://far.example/.well-known/oauth-authorization-server';
  const url = new URL('https://far.example/mcp');
  for (const name of ['https://far.example', 'https://far.example/']) {
    const found = await findIssuerAtHost(
      pagesAt({ [place]: { ...issuerFacts('https://far.example'), issuer: name } }),
      url,
    );
    assert.equal(found?.issuer, name);
  }
  assert.equal(await findIssuerAtHost(pagesAt({}), url), undefined);
});

test('https anywhere, and http on this machine', () => {
  for (const good of [
    'https://id.example/authorize?tenant=1',
    'https://10.0.0.1/authorize',
    'http://localhost:8080/a',
    'http://127.0.0.1:1/a',
    'http://[::1]:1/a',
  ]) {
    assert.equal(readEndpoint(good)?.href, good);
  }
});

test('nothing else, however it is dressed', () => {
  for (const bad of [
    undefined,
    null,
    7,
    '',
    'id.example',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'ms-settings:x',
    'http://id.example/authorize',
    'http://a$(touch P)',
    'https://a$(touch)/',
    'http://x/";calc',
    'https://user:word@id.example/',
    'https://id.example/#part',
    'https://id.example/ x',
    'https://id.example/\u0000',
    'http://169.254.169.254/',
    `https://id.example/${'a'.repeat(5_000)}`,
  ]) {
    assert.equal(readEndpoint(bad), undefined, String(bad));
  }
});

test('a token travels by https, on this machine, or where the owner says that nobody is on the way', () => {
  const isSafe = (url: string, ...hosts: string[]) => isConfidential(new URL(url), hosts);
  for (const url of [
    'https://mcp.example/x',
    'http://127.0.0.1:3/x',
    'http://[::1]/x',
    'http://localhost/x',
    'http://a.localhost/',
  ])
    assert.equal(isSafe(url), true, url);
  for (const url of ['http://mcp.example/x', 'http://10.0.0.1/x', 'http://nas.local/x', 'http://localhost.example/'])
    assert.equal(isSafe(url), false, url);
  assert.equal(isSafe('http://mcp.example/x', 'mcp.example'), true);
  assert.equal(isSafe('http://mcp.example:8080/x', 'mcp.example:80'), false);
  assert.equal(isSafe('http://10.1.2.3/x', '10.0.0.0/8'), true);
});

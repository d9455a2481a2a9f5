/** How a server's metadata is looked for, and when it is believed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findResource } from './find-resource.ts';
import type { MetadataDesk } from './read-metadata.ts';

const challenged = (resourceMetadata: string | null) => ({ resourceMetadata, scopes: [], error: null });

/** Answers from a table; what is not in it is not found. */
function desk(pages: Record<string, unknown>): MetadataDesk & { readonly asked: string[] } {
  const asked: string[] = [];
  const fetch = async (url: string | URL) => {
    asked.push(String(url));
    const found = pages[String(url)];
    return found === undefined ? new Response('no', { status: 404 }) : new Response(JSON.stringify(found));
  };
  return { server: 'far', fetch, asked };
}

const facts = (resource: string) => ({ resource, authorization_servers: ['https://id.example'] });
const byPath = 'https://far.example/.well-known/oauth-protected-resource/mcp';
const byRoot = 'https://far.example/.well-known/oauth-protected-resource';

test('the place that the server names is the only one that is asked', async () => {
  const place = 'https://far.example/custom.json';
  const asking = desk({ [place]: { ...facts('https://far.example/mcp'), scopes_supported: ['a', 7, 'b'] } });
  const found = await findResource(asking, new URL('https://far.example/mcp'), challenged(place));
  const expected = { resource: 'https://far.example/mcp', issuers: ['https://id.example'], scopes: ['a', 'b'] };
  assert.deepEqual(found, expected);
  assert.deepEqual(asking.asked, [place]);
});

test('without one, the well-known place with the path comes before the one without', async () => {
  const url = new URL('https://far.example/mcp');
  const first = desk({ [byPath]: facts('https://far.example/mcp'), [byRoot]: facts('https://far.example') });
  assert.equal((await findResource(first, url, undefined))?.resource, 'https://far.example/mcp');
  assert.deepEqual(first.asked, [byPath]);
  const second = desk({ [byRoot]: facts('https://far.example') });
  // To the letter: no slash is added.
  assert.equal((await findResource(second, url, challenged(null)))?.resource, 'https://far.example');
  assert.equal(await findResource(desk({}), url, undefined), undefined);
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
    const asking = desk({ [byPath]: { ...facts(''), resource: other } });
    await assert.rejects(findResource(asking, url, undefined), /another resource/, String(other));
  }
  const nobody = desk({ [byPath]: { resource: 'https://far.example/mcp', authorization_servers: [] } });
  await assert.rejects(findResource(nobody, url, undefined), /names no authorization server/);
});

test('a token for more than the server is asked for only where its host says so, in the place for it', async () => {
  const url = new URL('https://far.example/tenants/one/mcp');
  const well = 'https://far.example/.well-known/oauth-protected-resource';
  const parents = ['https://far.example', 'https://far.example/tenants', 'https://far.example/tenants/one'];
  const elsewhere = well.replace('far', 'evil');
  for (const place of ['https://far.example/tenants/one/meta.json', elsewhere, `${well}-2`]) {
    for (const parent of parents) {
      const found = findResource(desk({ [place]: facts(parent) }), url, challenged(place));
      await assert.rejects(found, /another resource/, `${place} ${parent}`);
    }
    const exact = desk({ [place]: facts(url.href) });
    assert.equal((await findResource(exact, url, challenged(place)))?.resource, url.href);
  }
  for (const place of [well, `${well}/tenants`]) {
    const found = await findResource(desk({ [place]: facts('https://far.example') }), url, challenged(place));
    assert.equal(found?.resource, 'https://far.example');
  }
  const asked = new URL('https://far.example/mcp?tenant=1');
  const wider = desk({ 'https://evil.example/': facts('https://far.example/mcp') });
  await assert.rejects(findResource(wider, asked, challenged('https://evil.example/')), /another resource/);
});

test('a place that must not be asked is not asked', async () => {
  for (const place of ['http://inside.example/x', 'file:///etc/passwd', 'javascript:1']) {
    const asking = desk({});
    const found = findResource(asking, new URL('https://far.example/mcp'), challenged(place));
    await assert.rejects(found, /not allowed/);
    assert.deepEqual(asking.asked, []);
  }
});

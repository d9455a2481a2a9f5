/** Browsers: they sign in with a link that works once, and their requests count only if a page of ours sent them. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '../../src/admin/admin.ts';
import { limits } from '../../src/config/config.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { makeToken } from '../kit/tokens.ts';

let gateway: TestGateway;
const clock = new ShiftedClock();

before(async () => {
  gateway = await openTestGateway({ clock, config: { access: { trustedFrontEnds: ['127.0.0.1'] } } });
});
after(() => gateway.close());

async function link(headers: Record<string, string> = gateway.ownerHeaders): Promise<string> {
  const response = await fetch(`${gateway.url}/api/gateway.signInLink`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { url: string }).url;
}

/** The cookie, as a browser sends it back. */
async function signIn(headers?: Record<string, string>): Promise<string> {
  const response = await fetch(await link(headers));
  assert.equal(response.status, 200);
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const home = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${gateway.url}/`, { method, headers, redirect: 'manual' });

const signOut = (headers: Record<string, string>) => fetch(`${gateway.url}/sign-out`, { method: 'POST', headers });

const projects = async () => (await gateway.gateway.admin.run('projects.list', {})).map(({ name }) => name);

test('[ACC-59] a link that a browser fetched ahead still signs in whoever opens it', async () => {
  const url = await link();
  for (const ahead of [
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
  ] as Record<string, string>[]) {
    const response = await fetch(url, { headers: ahead });
    assert.deepEqual([response.status, response.headers.get('set-cookie')], [503, null]);
  }
  assert.equal((await fetch(url)).status, 200);
});

test('[ACC-20] a link signs a browser in, once, and the page says who it is and has a way out', async () => {
  const url = await link();
  const response = await fetch(url);
  assert.equal(response.status, 200);
  const set = response.headers.get('set-cookie') ?? '';
  assert.match(
    set,
    new RegExp(`^toolcrib-${new URL(gateway.url).port}=[\\w-]{43}; Max-Age=\\d+; Path=/; HttpOnly; SameSite=Strict$`),
  );
  assert.equal((await fetch(url)).status, 401, 'the second time');
  const cookie = set.split(';')[0] ?? '';
  const page = await home({ cookie });
  assert.equal(page.status, 200);
  const html = await page.text();
  assert.match(html, /signed in as <strong>owner<\/strong>.*\/api\/openapi\.json.*action="\/sign-out"/s);
  assert.doesNotMatch(html, /<script|https?:/);
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  assert.deepEqual(
    ['cache-control', 'x-content-type-options', 'x-frame-options'].map((name) => page.headers.get(name)),
    ['no-store', 'nosniff', 'DENY'],
  );
  assert.equal((await home({ cookie }, 'HEAD')).status, 200);
  assert.equal((await signOut({ cookie })).status, 403);
  const out = await signOut({ cookie, origin: gateway.url, 'content-type': 'application/x-www-form-urlencoded' });
  assert.deepEqual([out.status, /Max-Age=0/.test(out.headers.get('set-cookie') ?? '')], [200, true]);
  assert.equal((await home({ cookie })).status, 401);
});

test('[ACC-20] a browser that is not signed in is told how, and learns nothing else', async () => {
  for (const headers of [{}, { cookie: `toolcrib-${new URL(gateway.url).port}=AAAA` }]) {
    const response = await home(headers);
    assert.equal(response.status, 401);
    assert.match(await response.text(), /Not signed in.*toolcrib sign-in/s);
  }
  for (const code of ['', 'AAAA', 'x'.repeat(5_000)]) {
    const response = await fetch(`${gateway.url}/sign-in?code=${code}`);
    assert.deepEqual([response.status, response.headers.get('set-cookie')], [401, null]);
  }
  assert.equal((await fetch(`${gateway.url}/sign-in`, { method: 'POST' })).status, 405);
});

test('[ACC-20] a link is good for five minutes, and a browser that is not used is signed out', async () => {
  const late = await link();
  const cookie = await signIn();
  clock.shift(limits.signInCodeMs);
  assert.equal((await fetch(late)).status, 401);
  assert.equal((await home({ cookie })).status, 200);
  clock.shift(limits.browserIdleMs + 1);
  assert.equal((await home({ cookie })).status, 401);
});

test('[ACC-21] a cookie counts only with requests of our own pages', async () => {
  const cookie = await signIn();
  const { host, port } = new URL(gateway.url);
  const foreign: Record<string, string>[] = [
    {},
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `http://localhost:${port}` },
    { origin: 'http://127.0.0.1:1' },
    { origin: `https://${host}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-origin' },
  ];
  for (const headers of foreign)
    assert.equal((await signOut({ cookie, ...headers })).status, 403, JSON.stringify(headers));
  for (const site of ['cross-site', 'same-site']) {
    for (const path of ['/', '/api/openapi.json']) {
      const reading = await fetch(`${gateway.url}${path}`, { headers: { cookie, 'sec-fetch-site': site } });
      assert.equal(reading.status, 403, `${path} ${site}`);
    }
  }
  assert.equal((await home({ cookie })).status, 200, 'still signed in');
  const described = await fetch(`${gateway.url}/api/openapi.json`, { headers: { cookie } });
  assert.deepEqual([described.status, described.headers.get('access-control-allow-origin')], [200, null]);
  assert.equal((await signOut({ cookie, 'sec-fetch-site': 'same-origin' })).status, 200);
});

test('[ACC-21] a cookie alone gives no order and asks no question, whoever sends it', async () => {
  const cookie = await signIn();
  const before = await projects();
  const ours = { cookie, origin: gateway.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  for (const name of Object.keys(operations)) {
    for (const path of [`/api/${name}`, `/api/${name.replaceAll('.', '/')}`]) {
      const body = JSON.stringify({ name: 'stolen' });
      const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers: ours, body });
      assert.equal(answer.status, 401, path);
    }
  }
  for (const path of ['/api/', '/api/openapi.json/', '/api//openapi.json', '/api/nothing', '/api/openapi%2ejson'])
    assert.equal((await fetch(`${gateway.url}${path}`, { headers: ours })).status, 401, path);
  const posted = await fetch(`${gateway.url}/api/openapi.json`, { method: 'POST', headers: ours, body: '{}' });
  assert.equal(posted.status, 401);
  assert.deepEqual(await projects(), before);
});

test('[ACC-21] a cookie opens no door for agents', async () => {
  const cookie = await signIn();
  for (const path of ['/mcp', '/gateway/mcp', '/catalog/search']) {
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { cookie, origin: gateway.url, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    assert.equal(response.status, 401, path);
  }
});

test('[ACC-21] behind a front end with https the cookie is for that host alone, and never sent in the clear', async () => {
  const response = await fetch(await link(), { headers: { 'x-forwarded-proto': 'https' } });
  const set = response.headers.get('set-cookie') ?? '';
  assert.match(set, /^__Host-toolcrib=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  const cookie = set.split(';')[0] ?? '';
  const https = { cookie, 'x-forwarded-proto': 'https' };
  assert.equal((await signOut({ ...https, origin: gateway.url })).status, 403);
  assert.equal((await signOut({ ...https, origin: gateway.url.replace('http:', 'https:') })).status, 200);
});

test('[ACC-20] a browser is signed out with the token that it was signed in by', async () => {
  const admin = await makeToken(gateway, { scopes: ['admin'] });
  const cookie = await signIn(admin.headers);
  assert.equal((await home({ cookie })).status, 200);
  await gateway.gateway.admin.run('tokens.revoke', { name: admin.name });
  assert.equal((await home({ cookie })).status, 401);
});

/** Browsers: a link works once, and gives a page a token of its own that lasts until it is signed out. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BrowserReport } from '../../src/admin/admin.ts';
import { limits } from '../../src/config/config.ts';
import { codeIn, postSignIn, signIn, signInLink } from '../kit/browser.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { makeToken } from '../kit/tokens.ts';

let gateway: TestGateway;
const clock = new ShiftedClock();

before(async () => {
  gateway = await openTestGateway({ clock });
});
after(() => gateway.close());

async function ask(headers: Record<string, string>, { url } = gateway): Promise<number> {
  const asking = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
  return (await fetch(`${url}/api/gateway.status`, asking)).status;
}

const signOut = (headers: Record<string, string>) => fetch(`${gateway.url}/sign-out`, { method: 'POST', headers });

async function messageOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { message: string } }).error.message;
}

test('[ACC-20] a link signs a browser in, once, and its token works until it is signed out', async () => {
  const link = await signInLink(gateway);
  assert.deepEqual([link.origin, link.pathname, link.search], [gateway.url, '/', '']);
  const code = codeIn(link);
  const response = await postSignIn(gateway, { code });
  assert.deepEqual(
    ['cache-control', 'content-type', 'set-cookie', 'x-content-type-options'].map((name) => response.headers.get(name)),
    ['no-store', 'application/json', null, 'nosniff'],
  );
  const { token, expiresAt, ...who } = (await response.json()) as { token: string; expiresAt: number };
  assert.deepEqual(who, { name: 'owner', scopes: ['use', 'admin', 'metrics', 'optimize'] });
  assert.ok(expiresAt > clock.now() && expiresAt <= clock.now() + limits.browserIdleMs);
  const again = await postSignIn(gateway, { code });
  assert.deepEqual([again.status, /used before.*toolcrib open/.test(await messageOf(again))], [401, true]);
  const browser = { authorization: `Bearer ${token}` };
  assert.equal(await ask(browser), 200);
  assert.equal((await signOut(browser)).status, 204);
  assert.equal(await ask(browser), 401);
  assert.equal((await signOut(browser)).status, 401);
});

test('[ACC-20] a browser that is not signed in is told how, and learns nothing else', async () => {
  const without = await postSignIn(gateway, {});
  assert.deepEqual([without.status, /not signed in.*toolcrib open/.test(await messageOf(without))], [401, true]);
  for (const code of ['', 'AAAA', 'x'.repeat(500)]) assert.equal((await postSignIn(gateway, { code })).status, 401);
  for (const body of [null, [], 'code', { code: 1 }, { code: null }])
    assert.equal((await postSignIn(gateway, body)).status, 400, JSON.stringify(body));
  assert.equal((await postSignIn(gateway, { code: 'x'.repeat(2_000) })).status, 413);
  assert.equal((await fetch(`${gateway.url}/sign-in`)).status, 405);
  assert.equal((await signOut({})).status, 401);
});

test('[ACC-20] a request to the API without a token says how a program and how a person comes in', async () => {
  const without = await fetch(`${gateway.url}/api/gateway.status`, { method: 'POST' });
  assert.match(await messageOf(without), /"Authorization: Bearer TOKEN".*"toolcrib open"/);
  const agent = await fetch(`${gateway.url}/mcp`, { method: 'POST' });
  assert.doesNotMatch(await agent.text(), /toolcrib open/);
});

test('[ACC-59] the code of a link never leaves the browser in an address, and one in an address is not used', async () => {
  const code = codeIn(await signInLink(gateway));
  const asked = await fetch(`${gateway.url}/sign-in?code=${code}`, {
    method: 'POST',
    headers: { origin: gateway.url, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(asked.status, 401);
  await fetch(`${gateway.url}/?code=${code}`);
  assert.equal((await postSignIn(gateway, { code })).status, 200);
});

test('[ACC-20] a link is good for five minutes, and a browser that is not used is signed out', async () => {
  const late = codeIn(await signInLink(gateway));
  const browser = await signIn(gateway);
  const used = codeIn(await signInLink(gateway));
  assert.equal((await postSignIn(gateway, { code: used })).status, 200);
  const { admin } = gateway.gateway;
  const stateOf = async (code: string) => (await admin.run('gateway.signInLinkState', { code })).state;
  assert.deepEqual([await stateOf(late), await stateOf(used)], ['waiting', 'used']);
  clock.shift(limits.signInCodeMs);
  assert.equal((await postSignIn(gateway, { code: late })).status, 401);
  assert.equal(await stateOf(late), 'gone');
  assert.equal(await ask(browser), 200);
  clock.shift(limits.browserIdleMs + 1);
  assert.equal(await ask(browser), 401);
});

test('[ACC-21] only the page of this gateway can sign in, and another leaves the link as it was', async () => {
  const code = codeIn(await signInLink(gateway));
  const { port } = new URL(gateway.url);
  const foreign: Record<string, string>[] = [
    {},
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `http://localhost:${port}` },
    { origin: 'http://127.0.0.1:1' },
    { origin: `ftp://127.0.0.1:${port}` },
  ];
  for (const headers of foreign)
    assert.equal((await postSignIn(gateway, { code }, headers)).status, 403, JSON.stringify(headers));
  const form = { origin: gateway.url, 'content-type': 'text/plain' };
  assert.equal((await postSignIn(gateway, { code }, form)).status, 415);
  const signedIn = await postSignIn(gateway, { code });
  assert.deepEqual([signedIn.status, signedIn.headers.get('access-control-allow-origin')], [200, null]);
});

test('[ACC-21] the token of a browser opens no door for agents, and a cookie opens nothing', async () => {
  const browser = await signIn(gateway);
  for (const path of ['/mcp', '/gateway/mcp', '/projects/default/mcp']) {
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { ...browser, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    assert.equal(response.status, 401, path);
  }
  const token = browser.authorization?.split(' ')[1] ?? '';
  assert.equal(await ask({ cookie: `toolcrib=${token}; __Host-toolcrib=${token}`, origin: gateway.url }), 401);
});

test('[ACC-20] a stream of a browser ends when it is signed out', async () => {
  const browser = await signIn(gateway);
  const stream = await fetch(`${gateway.url}/api/events`, { headers: browser });
  assert.equal(stream.status, 200);
  const ended = assert.rejects(stream.text());
  assert.equal((await signOut(browser)).status, 204);
  await ended;
});

test('[ACC-20] a browser is signed out with the token that it was signed in by', async () => {
  const admin = await makeToken(gateway, { scopes: ['admin'] });
  const browser = await signIn(gateway, admin.headers);
  assert.equal(await ask(browser), 200);
  const unused = codeIn(await signInLink(gateway, admin.headers));
  await gateway.gateway.admin.run('tokens.revoke', { name: admin.name });
  assert.equal(await ask(browser), 401);
  assert.equal((await postSignIn(gateway, { code: unused })).status, 401);
});

test('[ACC-21] a browser does what its principal may, and hears which scope is missing', async () => {
  const admin = await makeToken(gateway, { scopes: ['admin'] });
  const browser = await signIn(gateway, admin.headers);
  const search = await fetch(`${gateway.url}/api/tools.search`, {
    method: 'POST',
    headers: { ...browser, 'content-type': 'application/json' },
    body: '{"query":"x"}',
  });
  assert.deepEqual([search.status, /scope "use"/.test(await messageOf(search))], [403, true]);
});

test('[ACC-61] a browser is still signed in after a restart, unless the token that signed it in was replaced', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-browser-'));
  try {
    const first = await openTestGateway({ dataDir });
    const browser = await signIn(first);
    await first.close();
    const second = await openTestGateway({ dataDir });
    assert.equal(await ask(browser, second), 200);
    const other = await signIn(second);
    assert.equal((await fetch(`${second.url}/sign-out`, { method: 'POST', headers: other })).status, 204);
    await second.close();
    const third = await openTestGateway({ dataDir });
    assert.deepEqual([await ask(browser, third), await ask(other, third)], [200, 401]);
    await third.close();
    await rm(join(dataDir, 'owner-token'));
    const fourth = await openTestGateway({ dataDir });
    assert.equal(await ask(browser, fourth), 401);
    await fourth.close();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('[ACC-63] behind a front end the link leads to the public address, and its page signs in', async () => {
  const config = { oauth: { publicUrl: 'https://crib.example/tools' }, access: { allowedHosts: ['crib.example'] } };
  await using behind = await openTestGateway({ config });
  const link = await signInLink(behind);
  assert.equal(link.href, `https://crib.example/tools/${link.hash}`);
  const code = codeIn(link);
  const from = (origin: string) => postSignIn(behind, { code }, { origin });
  for (const [origin, setting] of [
    ['https://other.example', /access\.allowedHosts/],
    ['http://crib.example', /oauth\.publicUrl/],
    ['https://crib.example:8443', /oauth\.publicUrl/],
  ] as const) {
    const refused = await from(origin);
    assert.equal(refused.status, 403, origin);
    assert.match(await messageOf(refused), setting);
  }
  assert.equal((await from('https://crib.example')).status, 200);
});

test('[ACC-62] the owner sees which browsers are signed in, and signs one out from another', async () => {
  const admin = await makeToken(gateway, { scopes: ['admin'] });
  const [own, other] = [await signIn(gateway), await signIn(gateway, admin.headers)];
  const asked = { method: 'POST', headers: { ...own, 'content-type': 'application/json' } };
  const run = (name: string, input: object) =>
    fetch(`${gateway.url}/api/${name}`, { ...asked, body: JSON.stringify(input) });
  const list = async () => (await (await run('browsers.list', {})).json()) as BrowserReport[];
  const [listed, asking] = (await list()) as [BrowserReport, BrowserReport];
  assert.deepEqual([listed.name, listed.isThis, asking.name, asking.isThis], [admin.name, false, 'owner', true]);
  const { signedInAt, lastUsedAt, expiresAt, endsAt } = listed;
  assert.deepEqual(
    [lastUsedAt, expiresAt, endsAt].map((time) => Date.parse(time) - Date.parse(signedInAt)),
    [0, limits.browserIdleMs, limits.browserMs],
  );
  const stream = await fetch(`${gateway.url}/api/events`, { headers: other });
  const ended = assert.rejects(stream.text());
  assert.equal((await run('browsers.end', { id: listed.id })).status, 200);
  await ended;
  assert.deepEqual([await ask(other), await ask(own)], [401, 200]);
  assert.ok((await list()).every(({ id }) => id !== listed.id));
  assert.match(await messageOf(await run('browsers.end', { id: listed.id })), /No browser with the id/);
  const { records } = await gateway.gateway.admin.run('audit.list', { action: 'browsers.end' });
  assert.deepEqual(
    records.map(({ outcome, detail }) => [outcome, detail?.input]),
    [
      ['refused', { id: listed.id }],
      ['ok', { id: listed.id }],
    ],
  );
});

test('[ACC-20] where nobody is asked for a token, the page needs no signing in', async () => {
  await using open = await openTestGateway({ isAuthOff: true });
  const answer = (await (await postSignIn(open, {})).json()) as object;
  const scopes = ['use', 'admin', 'metrics', 'optimize'];
  assert.deepEqual(answer, { token: null, expiresAt: null, name: 'everybody', scopes });
  assert.equal(await ask({}, open), 200);
  assert.equal((await fetch(`${open.url}/sign-out`, { method: 'POST' })).status, 204);
});

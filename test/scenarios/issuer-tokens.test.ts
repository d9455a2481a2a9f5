/** Agents with tokens of an issuer: who comes in, with which rights, and what everybody else gets. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { routeTable } from '../../src/door/door.ts';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { askModern, RawSession } from '../kit/hand-made.ts';
import { openIssuerSetup } from '../kit/issuer-setup.ts';
import { sendRaw } from '../kit/raw-http.ts';
import { makeKey } from '../kit/token-issuer.ts';
import { bearer } from '../kit/tokens.ts';
import { hostedServer, openServer } from '../servers/hosted.ts';

const wellKnown = '/.well-known/oauth-protected-resource';
const doors = ['/mcp', '/projects/shop/mcp', '/servers/one/mcp', '/s/nobody%22/mcp', '/gateway/mcp', '/g/mcp'];

test('[OAUTH-20] the issuer for a door is public, also for doors that do not exist', async () => {
  await using setup = await openIssuerSetup({ servers: { one: hostedServer({ name: 'one' }) } });
  const { url } = setup.test;
  for (const door of ['', ...doors]) {
    const response = await fetch(`${url}${wellKnown}${door}`);
    assert.equal(response.status, 200, door);
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.deepEqual(await response.json(), {
      resource: `${url}${door}`,
      authorization_servers: [setup.issuer.url],
      scopes_supported: ['toolcrib:use', 'toolcrib:admin', 'toolcrib:metrics'],
      bearer_methods_supported: ['header'],
      resource_name: 'Toolcrib',
    });
    const head = await fetch(`${url}${wellKnown}${door}`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal((await fetch(`${url}${wellKnown}${door}`, { method: 'POST' })).status, 405);
  }
  for (const path of ['/mcp/', '/api/tools/list', '/healthz', '/servers/a/b/mcp', '/%/mcp', `${wellKnown}/mcp`])
    assert.equal((await fetch(`${url}${wellKnown}${path}`)).status, 404, path);
  const origin = { headers: { origin: 'https://evil.example' } };
  assert.equal((await fetch(`${url}${wellKnown}/mcp`, origin)).status, 403);
});

test('[OAUTH-20] without an issuer there is nothing of that, and challenges name no document', async () => {
  await using gateway = await openTestGateway();
  for (const door of ['', ...doors]) assert.equal((await fetch(`${gateway.url}${wellKnown}${door}`)).status, 404, door);
  const { headers } = await askModern(`${gateway.url}/mcp`, {}, 'tools/list');
  assert.equal(headers.get('www-authenticate'), 'Bearer realm="toolcrib"');
});

test('[OAUTH-20] behind a public address with a path, documents and doors are named by it', async () => {
  const publicUrl = 'https://example.com/tools/';
  await using setup = await openIssuerSetup({}, { publicUrl });
  const { url } = setup.test;
  const { status, headers } = await askModern(`${url}/mcp`, {}, 'tools/list');
  assert.equal(status, 401);
  assert.match(
    headers.get('www-authenticate') ?? '',
    /"https:\/\/example\.com\/\.well-known\/oauth-protected-resource\/tools\/mcp"/,
  );
  for (const path of ['/tools/mcp', '/mcp']) {
    const found = (await (await fetch(`${url}${wellKnown}${path}`)).json()) as { resource: string };
    assert.equal(found.resource, 'https://example.com/tools/mcp');
  }
  // The owner's token is let in from this machine alone, and so is a browser that it signs in.
  const link = await setup.test.gateway.admin.run('gateway.signInLink', {});
  assert.equal(new URL(link.url).origin, url);
  const token = await setup.issuer.token('https://example.com/tools/mcp');
  assert.equal((await askModern(`${url}/mcp`, bearer(token), 'tools/list')).status, 200);
});

test('[OAUTH-21] without a token, with a bad one and with one for less, the answer says what is needed and where it is', async () => {
  await using setup = await openIssuerSetup({ servers: { one: hostedServer({ name: 'one' }) } });
  const { url } = setup.test;
  const challengeAt = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: '{}' });
    return [answer.status, answer.headers.get('www-authenticate')];
  };
  for (const door of doors) {
    const scope = door.startsWith('/g') ? 'toolcrib:admin' : 'toolcrib:use';
    const where = `scope="${scope}", resource_metadata="${url}${wellKnown}${door}"`;
    assert.deepEqual(await challengeAt(door), [401, `Bearer realm="toolcrib", ${where}`]);
    const bad = `error="invalid_token", error_description="The token has expired."`;
    const expired = await setup.headers({ exp: 1_000 });
    assert.deepEqual(await challengeAt(door, expired), [401, `Bearer realm="toolcrib", ${bad}, ${where}`]);
    const without = await setup.headers({ scope: 'openid toolcrib:metrics' });
    const lacking = `Bearer realm="toolcrib", error="insufficient_scope", ${where}`;
    assert.deepEqual(await challengeAt(door, without), [403, lacking]);
  }
  const document = `resource_metadata="${url}${wellKnown}"`;
  const json = { 'content-type': 'application/json' };
  assert.deepEqual(await challengeAt('/api/tools/list'), [401, `Bearer realm="toolcrib", ${document}`]);
  const lacking = (scope: string) =>
    `Bearer realm="toolcrib", error="insufficient_scope", scope="${scope}", ${document}`;
  const user = { ...json, ...(await setup.headers()) };
  for (const path of ['/api/servers/remove', '/api/nothing'])
    assert.deepEqual(await challengeAt(path, user), [403, lacking('toolcrib:admin')], path);
  const counter = { ...json, ...(await setup.headers({ scope: 'toolcrib:metrics' })) };
  assert.deepEqual(await challengeAt('/api/tools/search', counter), [403, lacking('toolcrib:use')]);
});

test('[OAUTH-22] none of the known bad tokens comes in, in either era, and nothing is fetched on their word', async () => {
  const fetched: string[] = [];
  const canary = createServer((request, response) => {
    fetched.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  const lure = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/keys`;
  await using setup = await openIssuerSetup({ config: { limits: { failedSignInsPerMinute: 0 } } });
  const { issuer } = setup;
  const { url } = setup.test;
  const door = `${url}/mcp`;
  assert.equal((await askModern(door, await setup.headers(), 'tools/list')).status, 200);
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer.url, aud: url, sub: 'anna', iat: now, exp: now + 600, scope: 'toolcrib:use' };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const stranger = await makeKey('first');
  const secret = new TextEncoder().encode(JSON.stringify(issuer.key.publicJwk));
  const bad: Record<string, string> = {
    'wrong audience': await issuer.token('https://other.test/mcp'),
    'no audience': await issuer.token('', { aud: undefined }),
    'others beside us': await issuer.token('', { aud: [url, 'https://other.test'] }),
    'wrong issuer': await issuer.token(url, { iss: `${issuer.url}/` }),
    expired: await issuer.token(url, { exp: now - 3_600 }),
    'not yet valid': await issuer.token(url, { nbf: now + 3_600 }),
    'no algorithm': `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(claims)}.`,
    'public key as secret': await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret),
    'path as key': await issuer.key.sign(claims, { kid: '../../x' }),
    'query as key': await issuer.key.sign(claims, { kid: "' OR 1=1 --" }),
    'keys elsewhere': await stranger.sign(claims, { jku: lure, x5u: lure, kid: 'other' }),
    'keys in itself': await stranger.sign(claims, { jwk: stranger.publicJwk }),
    'unknown demand': `${encode({ alg: 'ES256', kid: 'first', crit: ['moon'], moon: 1 })}.${encode(claims)}.AAAA`,
    'too long': `${encode({ alg: 'ES256' })}.${'A'.repeat(9_000)}.AAAA`,
  };
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
  for (const [what, token] of Object.entries(bad)) {
    const modern = await askModern(door, bearer(token), 'tools/list');
    const headers = {
      ...bearer(token),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const legacy = await fetch(door, { method: 'POST', headers, body: JSON.stringify(initialize) });
    for (const answer of [modern, legacy]) {
      assert.equal(answer.status, 401, what);
      assert.match(
        answer.headers.get('www-authenticate') ?? '',
        /error="invalid_token".*scope=".*resource_metadata="/,
        what,
      );
    }
  }
  const good = await issuer.token(url);
  const head = `POST /mcp HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Length: 0\r\n`;
  const twice = await sendRaw(url, `${head}Authorization: Bearer ${good}\r\nAuthorization: Bearer ${good}\r\n\r\n`);
  assert.equal(twice.status, 401);
  const huge = await sendRaw(url, `${head}Authorization: Bearer ${'A'.repeat(1_048_576)}\r\n\r\n`);
  assert.ok(huge.status === 431 || huge.status === 0, String(huge.status));
  for (const headers of [{}, bearer(good)] as Record<string, string>[]) {
    const inQuery = await askModern(`${door}?access_token=${good}`, headers, 'tools/list');
    assert.equal(inQuery.status, 400);
    assert.match(
      inQuery.headers.get('www-authenticate') ?? '',
      /error="invalid_request", error_description="A token in the address/,
    );
  }
  assert.deepEqual(fetched, []);
  canary.close();
});

test('[OAUTH-22] no route answers to a stranger, nor to tokens that were good before the issuer was named', async () => {
  const config = { limits: { failedSignInsPerMinute: 0 } };
  await using setup = await openIssuerSetup({ config, servers: { one: hostedServer({ name: 'one' }) } });
  const { url, agentHeaders } = setup.test;
  const foreign = bearer(await setup.issuer.token('https://other.test'));
  for (const { pattern, methods, needs } of routeTable) {
    if (needs === 'nothing') continue;
    const path = pattern.replace(/\{\w+\}/, 'one').replace('*', 'tools/list');
    for (const method of methods) {
      for (const headers of [{}, foreign, agentHeaders] as Record<string, string>[])
        assert.equal((await fetch(`${url}${path}`, { method, headers })).status, 401, `${method} ${path}`);
    }
  }
});

test('[OAUTH-22] tokens that fail too often are slowed down, expired ones are not counted as such', async () => {
  const config = { limits: { failedSignInsPerMinute: 3 } };
  await using setup = await openIssuerSetup({ config });
  const ask = async (headers: Record<string, string>) =>
    (await askModern(`${setup.test.url}/mcp`, headers, 'tools/list')).status;
  const expired = await setup.headers({ exp: 1_000 });
  for (let at = 0; at < 10; at += 1) assert.equal(await ask(expired), 401);
  const foreign = bearer(await setup.issuer.token('https://other.test'));
  for (let at = 0; at < 3; at += 1) assert.equal(await ask(foreign), 401);
  assert.equal(await ask(foreign), 429);
  assert.equal(await ask(await setup.headers()), 200, 'a good one is let in all the same');
});

test('[OAUTH-23] agents of every kind come in with a token and have its scopes, and the audit knows who they are', async () => {
  await using setup = await openIssuerSetup({ servers: { one: hostedServer({ name: 'one' }) } });
  const { test: opened } = setup;
  const headers = await setup.headers({ preferred_username: 'Anna', client_id: 'editor' });
  for (const kind of KINDS) {
    await using agent = await connectAgent(kind, `${opened.url}/servers/one/mcp?names=plain`, { headers });
    assert.equal(await agent.say('echo', { text: 'hello' }), 'hello');
  }
  assert.equal((await askModern(`${opened.url}/gateway/mcp`, headers, 'tools/list')).status, 403);
  const admin = await setup.headers({ scope: 'toolcrib:admin' });
  assert.equal((await askModern(`${opened.url}/gateway/mcp`, admin, 'tools/list')).status, 200);
  assert.equal((await askModern(`${opened.url}/mcp`, admin, 'tools/list')).status, 403, 'no scope stands for another');
  const link = await fetch(`${opened.url}/api/gateway.signInLink`, {
    method: 'POST',
    headers: { ...admin, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.deepEqual([link.status, /cannot sign a browser in/.test(await link.text())], [400, true]);
  const { records } = await opened.gateway.admin.run('audit.list', { kind: 'execution' });
  assert.equal(records.length, KINDS.length);
  for (const { principal } of records) {
    assert.equal(principal.name, 'Anna (subject anna, client editor)');
    assert.match(principal.id, /^oauth:[\w-]{22}:anna:editor$/);
  }
});

test('[OAUTH-23] a token for one door is of no use at another', async () => {
  await using setup = await openIssuerSetup({
    servers: { one: { ...hostedServer({ name: 'one' }), projects: ['shop'] } },
  });
  const { url } = setup.test;
  const headers = bearer(await setup.issuer.token(`${url}/projects/shop/mcp`));
  assert.equal((await askModern(`${url}/projects/shop/mcp`, headers, 'tools/list')).status, 200);
  for (const path of ['/mcp', '/servers/one/mcp', '/projects/other/mcp'])
    assert.equal((await askModern(`${url}${path}`, headers, 'tools/list')).status, 401, path);
  assert.equal((await fetch(`${url}/api/tools/list`, { method: 'POST', headers })).status, 401);
});

test('[OAUTH-24] servers and project come from claims where the owner says so, in both eras', async () => {
  const servers = {
    one: { ...hostedServer({ name: 'one' }), projects: ['shop'] },
    two: hostedServer({ name: 'two' }),
  };
  await using setup = await openIssuerSetup({ servers }, { claims: { servers: 'mcp', project: 'team' } });
  const { url, gateway } = setup.test;
  await gateway.admin.run('servers.refresh', {});
  const toolsOf = async (headers: Record<string, string>) => {
    const door = `${url}/mcp?surface=direct`;
    const session = await RawSession.open(door, headers);
    const both = [await askModern(door, headers, 'tools/list'), await session.request('tools/list')];
    const lists = both.map(({ message }) => (message.result as { tools: { name: string }[] }).tools);
    return lists.map((tools) => [...new Set(tools.map(({ name }) => name.split('.')[0]))].sort().join());
  };
  assert.deepEqual(await toolsOf(await setup.headers({ mcp: ['*'], team: 'UNASSIGNED' })), ['one,two', 'one,two']);
  assert.deepEqual(await toolsOf(await setup.headers({ mcp: 'tw*', team: 'UNASSIGNED' })), ['two', 'two']);
  const shop = await setup.headers({ mcp: '*', team: 'shop' });
  assert.deepEqual(await toolsOf(shop), ['one', 'one']);
  assert.equal((await askModern(`${url}/servers/two/mcp`, shop, 'tools/list')).status, 404);
  assert.equal((await askModern(`${url}/mcp`, await setup.headers(), 'tools/list')).status, 401);
});

test('[OAUTH-25] a token of an agent reaches no server, log or file', async () => {
  await using server = await openServer({});
  await using setup = await openIssuerSetup({ servers: { far: { url: server.url } } });
  const { test: opened } = setup;
  const token = await setup.issuer.token(opened.url);
  for (const kind of KINDS) {
    await using agent = await connectAgent(kind, `${opened.url}/servers/far/mcp?names=plain`, {
      headers: bearer(token),
    });
    assert.equal(await agent.say('echo', { text: 'hello' }), 'hello');
  }
  await askModern(`${opened.url}/mcp?access_token=${token}`, {}, 'tools/list');
  await askModern(`${opened.url}/gateway/mcp`, bearer(token), 'tools/list');
  const heard = JSON.stringify(server.journal());
  assert.match(heard, /tools\/call/);
  const parts = token.split('.');
  for (const part of parts) assert.ok(!heard.includes(part), 'it reached the server');
  assert.doesNotMatch(heard, /"authorization"/i);
  for (const part of parts) assert.ok(!opened.logged.join('\n').includes(part), 'it was logged');
  for (const file of await readdir(opened.dataDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = await readFile(join(file.parentPath, file.name));
    for (const part of parts) assert.ok(!bytes.includes(part), file.name);
  }
});

/** Every route, method and operation there is, tried by everybody who should not get through. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '../../src/admin/admin.ts';
import { routeTable } from '../../src/door/door.ts';
import { signIn } from '../kit/browser.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { sendRaw } from '../kit/raw-http.ts';
import { makeToken, type TestToken } from '../kit/tokens.ts';
import { hostedServer } from '../servers/hosted.ts';

let gateway: TestGateway;
let narrow: TestToken;
let counter: TestToken;

before(async () => {
  gateway = await openTestGateway({
    servers: {
      good: hostedServer({ name: 'good' }),
      other: { ...hostedServer({ name: 'other' }), projects: ['shop'] },
    },
    // The sweep fails far more often than anybody should.
    config: { limits: { failedSignInsPerMinute: 0 } },
  });
  narrow = await makeToken(gateway, { servers: ['other'], project: 'shop' });
  counter = await makeToken(gateway, { scopes: ['metrics'] });
});
after(() => gateway.close());

/** The public routes, and nothing else. */
const publicPaths: ReadonlySet<string> = new Set(['/', '/healthz', '/readyz', '/oauth/client.json']);

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

const strangers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no token': {},
  'a wrong token': { Authorization: 'Bearer tc_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
  'another scheme': { Authorization: 'Basic b3duZXI6b3duZXI=' },
  'a wrong cookie': { Cookie: 'toolcrib=x; __Host-toolcrib=AAAA; session=owner' },
  'headers to be believed': {
    'X-Forwarded-User': 'owner',
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Proto': 'https',
    'X-Real-IP': '127.0.0.1',
    'X-Original-URL': '/healthz',
    'X-Rewrite-URL': '/healthz',
    'X-Toolcrib-Bridge': 'stdio',
    'X-Toolcrib-Project': 'shop',
    Forwarded: 'for=127.0.0.1;proto=https',
  },
};

function pathsOf(pattern: string): string[] {
  if (pattern === '/api/*') return ['/api/openapi.json', '/api/', ...apiPaths()];
  return [pattern.replace('{server}', 'good').replace('{project}', 'shop')];
}

function apiPaths(): string[] {
  return Object.keys(operations).flatMap((name) => [`/api/${name}`, `/api/${name.replaceAll('.', '/')}`]);
}

async function knock(method: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { token: 'x' } } });
  const all = {
    Host: new URL(gateway.url).host,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Content-Length': String(body.length),
    Connection: 'close',
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return (await sendRaw(gateway.url, `${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`)).status;
}

test('[ACC-10] without a credential no route answers any method, but for those that are open to everybody', async () => {
  for (const { pattern, needs } of routeTable) {
    for (const path of pathsOf(pattern)) {
      for (const method of path.startsWith('/api/') ? ['GET', 'POST'] : methods) {
        for (const [who, headers] of Object.entries(strangers)) {
          const status = await knock(method, path, headers);
          const isOpen = publicPaths.has(path) && (method === 'GET' || method === 'HEAD');
          if (!isOpen) assert.ok(status >= 400 && status < 500, `${method} ${path} with ${who}: ${status}`);
          if (needs !== 'nothing' && status !== 405) assert.equal(status, 401, `${method} ${path} with ${who}`);
        }
      }
    }
  }
});

test('[ACC-10] a route that is open to everybody is so because the table says it, and these are all', () => {
  const open = routeTable.filter(({ needs }) => needs === 'nothing').map(({ pattern }) => pattern);
  // A sign-in takes a code, and its end a token; the files of the dashboard hold no secret.
  // The issuer is named only if it is not the gateway itself.
  const resource = '/.well-known/oauth-protected-resource';
  const others = [
    '/oauth/callback',
    '/oauth/callback/{issuer}',
    '/assets/{file}',
    '/sign-in',
    '/sign-out',
    resource,
    `${resource}/*`,
  ];
  assert.deepEqual(open.sort(), [...publicPaths, ...others].sort());
});

test('[ACC-21] the token of a browser is for what the page asks, and for no other route', async () => {
  const browser = await signIn(gateway);
  const forBrowsers = ['/api/events', '/api/gateway.status', '/sign-out'];
  const guarded = routeTable.filter(({ needs, isForBrowsers }) => needs !== 'nothing' || isForBrowsers);
  for (const { pattern, methods, isForBrowsers } of guarded) {
    const path = pattern === '/api/*' ? '/api/gateway.status' : (pathsOf(pattern)[0] ?? '');
    assert.equal(isForBrowsers ?? false, forBrowsers.includes(path), path);
    if (!isForBrowsers) for (const method of methods) assert.equal(await knock(method, path, browser), 401, path);
  }
});

test('[ACC-11] an operation that is not for everybody is refused to every token without its scope', async () => {
  for (const [name, { scope = 'admin' }] of Object.entries(operations)) {
    for (const [who, headers] of Object.entries({
      agent: gateway.agentHeaders,
      narrow: narrow.headers,
      counter: counter.headers,
    })) {
      const status = await knock('POST', `/api/${name}`, headers);
      // An accepted request fails on its input, which fits no operation.
      const isIts = scope === 'use' && who !== 'counter';
      assert.equal(status, isIts ? 400 : 403, `${name} with the token of ${who}`);
    }
  }
  for (const headers of [gateway.agentHeaders, narrow.headers, counter.headers]) {
    for (const path of ['/gateway/mcp', '/g/mcp', '/api/openapi.json', '/api/nothing', '/api/'])
      assert.equal(await knock(path.endsWith('.json') ? 'GET' : 'POST', path, headers), 403, path);
  }
  for (const path of ['/mcp', '/projects/shop/mcp', '/servers/other/mcp', '/catalog/search'])
    assert.equal(await knock('POST', path, counter.headers), 403, path);
});

test('[ACC-11] the scopes of operations are as they were decided', () => {
  const others = Object.entries(operations).filter(([, { scope = 'admin' }]) => scope !== 'admin');
  const [forOptimizing = [], forUse = []] = [true, false].map((isOptimizing) =>
    others.filter(([name]) => name.startsWith('optimize.') === isOptimizing),
  );
  assert.ok(forOptimizing.length > 0 && forOptimizing.every(([, { scope }]) => scope === 'optimize'));
  assert.deepEqual(forUse.map(([name, { scope }]) => `${name} ${scope}`).sort(), [
    'results.read use',
    'tools.call use',
    'tools.chain use',
    'tools.info use',
    'tools.list use',
    'tools.recommend use',
    'tools.search use',
  ]);
});

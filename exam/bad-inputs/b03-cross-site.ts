/** B03: what a web page of somebody else can make a signed-in browser send: simple posts, forms, pictures, frames, preflights. */

import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { type Answer, eachOf, headerOf, type Knock, knock } from '../kit/knock.ts';
import { order, statePrint } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

type Header = readonly [string, string];

const simpleTypes = [
  ...[
    'text/plain',
    'text/plain; charset=utf-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ],
  ...['text/plain; application/json', 'text/json', 'application/jsonx', 'application/csp-report', 'null', ''],
];
const call = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'local.count', arguments: {} },
});

/** Everything that would change something, were it let in. */
const orders: readonly (readonly [string, string])[] = [
  ['/api/tokens/create', JSON.stringify({ name: 'stolen', scopes: ['admin'] })],
  ['/api/servers/add', JSON.stringify({ name: 'stolen', spec: { command: 'true' } })],
  ['/api/servers/disable', JSON.stringify({ name: 'local' })],
  ['/api/servers/remove', JSON.stringify({ name: 'local' })],
  ['/api/projects/create', JSON.stringify({ name: 'stolen' })],
  ['/api/tools/call', JSON.stringify({ toolKey: 'local:count', arguments: {} })],
  ['/api/gateway/signInLink', '{}'],
  ['/mcp?surface=direct', call],
  ['/gateway/mcp', call],
  ['/servers/local/mcp', call],
  ['/catalog/search', JSON.stringify({ query: 'count' })],
];

export const crossSite: Check = {
  id: 'B03',
  kind: 'bad inputs',
  title: 'Cross-site posts and cookies',
  passes: 'all 4xx, the state unchanged, no cookies, and no page of others may read anything',
  eras: ERAS,
  open: ['the dashboard in a browser: test/browser/sign-in tries it'],
  async run(rig) {
    const setup = await rig.open({ servers: { local: {} }, config: { limits: { failedSignInsPerMinute: 0 } } });
    const token = await signIn(rig, setup);
    // No cookie was given: even one that holds the token lets nobody in.
    const cookie = `toolcrib=${token}; __Host-toolcrib=${token}`;
    const before = await statePrint(setup, ['local']);
    await rig.part('posts', () => posts(rig, setup, cookie));
    await rig.part('reading', () => reading(rig, setup, cookie));
    await rig.part('preflights', () => preflights(rig, setup, cookie));
    await rig.part('own page', () => ownPage(rig, setup, token));
    rig.expect((await statePrint(setup, ['local'])) === before, 'Something has changed.');
    await rig.part('owner', () => ownerOrders(rig, setup));
  },
};

/** The token of the owner's browser, after a look at how it was given. */
async function signIn(rig: Rig, setup: Setup): Promise<string> {
  const { url } = setup.gateway;
  const { hash } = new URL((await order(setup, 'gateway.signInLink', {})).url);
  const body = JSON.stringify({ code: hash.replace('#code=', '') });
  const foreign = origins(url).map((origin): Knock => {
    return { method: 'POST', path: '/sign-in', headers: [...origin, ...typed('application/json')], body };
  });
  // Only the scheme of a page of our own is not known, because a front end may have changed it.
  await refuseAll(
    rig,
    setup,
    'signing in',
    foreign.filter(({ headers = [] }) => !headers.join().includes('https:')),
  );
  const answer = await knock(rig.history, url, {
    method: 'POST',
    path: '/sign-in',
    headers: [['Origin', url], ...typed('application/json')],
    body,
  });
  rig.expect(answer.status === 200, `The link does not sign in: ${answer.status}.`);
  rig.expect(headerOf(answer, 'set-cookie') === undefined, 'A cookie was given.');
  rig.expect(headerOf(answer, 'cache-control') === 'no-store', 'The token may be kept on the way.');
  return (JSON.parse(answer.body) as { token: string }).token;
}

function origins(url: string): readonly (readonly Header[])[] {
  const { host, port } = new URL(url);
  return [
    [['Origin', 'http://evil.example']],
    [['Origin', 'null']],
    [
      ['Origin', 'http://evil.example'],
      ['Sec-Fetch-Site', 'cross-site'],
    ],
    [
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Mode', 'no-cors'],
    ],
    [['Sec-Fetch-Site', 'same-site']],
    [['Sec-Fetch-Site', 'none']],
    [['Origin', `http://localhost:${port}`]],
    [
      ['Origin', 'http://127.0.0.1:1'],
      ['Sec-Fetch-Site', 'same-origin'],
    ],
    [['Origin', `https://${host}`]],
    [
      ['Origin', url],
      ['Origin', 'http://evil.example'],
    ],
    [['Referer', `${url}/`]],
    [],
  ];
}

/** A post by a page of others: with every type that needs no leave, and with JSON that would need it. */
async function posts(rig: Rig, setup: Setup, cookie: string): Promise<void> {
  const { url, ownerToken } = setup.gateway;
  const requests: Knock[] = [];
  for (const [path, body] of orders) {
    for (const origin of origins(url)) {
      for (const type of [...simpleTypes, 'application/json']) {
        const headers: Header[] = [...origin, ['Cookie', cookie], ...typed(type)];
        requests.push({ method: 'POST', path, headers, body });
      }
    }
    // A page of our own, and even a good token, may not say it in a form.
    for (const type of simpleTypes) {
      requests.push({ method: 'POST', path, headers: [['Origin', url], ['Cookie', cookie], ...typed(type)], body });
      requests.push({
        method: 'POST',
        path,
        headers: [['Authorization', `Bearer ${ownerToken}`], ...typed(type)],
        body,
      });
    }
    const form = `json=${encodeURIComponent(body)}`;
    requests.push({ method: 'POST', path, headers: [['Cookie', cookie], ...typed(simpleTypes[2] ?? '')], body: form });
  }
  await refuseAll(rig, setup, 'posts', requests);
}

function typed(type: string): Header[] {
  return type === '' ? [] : [['Content-Type', type]];
}

/** Requests that pictures, frames, links and scripts make. */
async function reading(rig: Rig, setup: Setup, cookie: string): Promise<void> {
  const foreign: Header[][] = [
    [['Sec-Fetch-Site', 'cross-site']],
    [['Sec-Fetch-Site', 'same-site']],
    [['Origin', 'http://evil.example']],
    [['Origin', 'null']],
  ];
  const paths = [
    '/api/openapi.json',
    '/api/tokens/list',
    '/api/tokens/create?name=stolen',
    '/sign-out',
    '/mcp',
    '/gateway/mcp',
  ];
  const requests = paths.flatMap((path) =>
    foreign.flatMap((origin) =>
      ['GET', 'HEAD', 'DELETE', 'PUT'].map(
        (method): Knock => ({ method, path, headers: [...origin, ['Cookie', cookie]] }),
      ),
    ),
  );
  // From the address bar as well: a link changes nothing.
  const links = paths.map(
    (path): Knock => ({
      path,
      headers: [
        ['Sec-Fetch-Site', 'none'],
        ['Cookie', cookie],
      ],
    }),
  );
  const upgrade: Header[] = [
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
    ['Sec-WebSocket-Version', '13'],
  ];
  const sockets = ['/', '/mcp', '/api/tokens/list'].map((path): Knock => {
    return { path, headers: [...upgrade, ['Origin', 'http://evil.example'], ['Cookie', cookie]] };
  });
  await refuseAll(rig, setup, 'reading', [...requests, ...links, ...sockets]);
}

async function preflights(rig: Rig, setup: Setup, cookie: string): Promise<void> {
  const requests = orders.flatMap(([path]) =>
    ['http://evil.example', 'null', setup.gateway.url].map((origin): Knock => {
      const asks: Header[] = [
        ['Access-Control-Request-Method', 'POST'],
        ['Access-Control-Request-Headers', 'authorization, content-type'],
      ];
      return { method: 'OPTIONS', path, headers: [['Origin', origin], ...asks, ['Cookie', cookie]] };
    }),
  );
  await refuseAll(rig, setup, 'preflights', requests);
}

async function refuseAll(rig: Rig, setup: Setup, name: string, requests: readonly Knock[]): Promise<void> {
  rig.figure(name, requests.length);
  await eachOf(requests, async (request) => {
    const answer = await knock(rig.history, setup.gateway.url, request);
    const isRefused = answer.status >= 400 && answer.status < 500;
    rig.expect(
      isRefused,
      () => `${request.method ?? 'GET'} ${request.path} with ${without(request)} got ${answer.status}.`,
    );
    rig.expect(
      !isReadable(answer),
      () => `${request.path} may be read by pages of others: ${answer.head.slice(0, 300)}`,
    );
  });
}

function isReadable({ head }: Answer): boolean {
  return /access-control-allow-/i.test(head);
}

/** Without what is secret. */
function without({ headers = [] }: Knock): string {
  return headers.filter(([name]) => name !== 'Cookie' && name !== 'Authorization').join('; ');
}

/** With the owner's token the same orders do what they say, so that the print of the state can tell. */
async function ownerOrders(rig: Rig, setup: Setup): Promise<void> {
  const before = await statePrint(setup, ['local']);
  await order(setup, 'projects.create', { name: 'mine' });
  rig.expect((await statePrint(setup, ['local'])) !== before, 'An order of the owner changed nothing.');
}

/** The page is framed by nobody and runs its own scripts alone; its token works until it is given back. */
async function ownPage(rig: Rig, setup: Setup, token: string): Promise<void> {
  const { url } = setup.gateway;
  const home = await knock(rig.history, url, { path: '/' });
  const policy = headerOf(home, 'content-security-policy') ?? '';
  rig.expect(policy.includes("frame-ancestors 'none'"), `The page can be framed: ${policy}`);
  rig.expect(!/(script|default)-src[^;]*unsafe/.test(policy), `Scripts of anybody run: ${policy}`);
  rig.expect(headerOf(home, 'x-content-type-options') === 'nosniff', 'The page may be taken for something else.');
  rig.expect(!isReadable(home), 'The page may be read by pages of others.');
  const own: Header[] = [
    ['Origin', url],
    ['Authorization', `Bearer ${token}`],
  ];
  const read = () => knock(rig.history, url, { path: '/api/openapi.json', headers: own });
  const before = await read();
  rig.expect(before.status === 200, `With its token the page got ${before.status}.`);
  const left = await knock(rig.history, url, { method: 'POST', path: '/sign-out', headers: own });
  rig.expect(left.status === 204, `The page cannot sign out: ${left.status}.`);
  const late = await read();
  rig.expect(late.status === 401, `After that the token got ${late.status}.`);
}

/** B01: every route and method there is, and many that there are not, tried by everybody who should not get through. */

import { operations } from '../../src/admin/admin.ts';
import { routeTable } from '../../src/door/door.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { type Answer, eachOf, type Knock, knock } from '../kit/knock.ts';
import { makeToken, order, statePrint } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';
import { guessedPaths, type Stranger, strangers, trustMe } from '../kit/strangers.ts';

const standing = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const rare = ['CONNECT', 'PROPFIND', 'SEARCH', 'QUERY', 'PURGE', 'get', 'GETT'];
/** Documents that are public by design. */
const publicPaths: ReadonlySet<string> = new Set(['/', '/healthz', '/readyz']);

interface Visit {
  readonly who: string;
  readonly request: Knock;
}

export const routes: Check = {
  id: 'B01',
  kind: 'bad inputs',
  title: 'Routes by methods by strangers',
  passes: 'only documented public routes answer 2xx, limited tokens get what they were given, and nothing has changed',
  eras: ERAS,
  async run(rig, size) {
    const setup = await rig.open({
      servers: { local: {}, other: {} },
      // The sweep fails far more often than anybody should.
      config: {
        limits: { failedSignInsPerMinute: 0 },
        projects: { shop: { servers: ['local'] }, office: { servers: ['other'] } },
      },
    });
    const before = await statePrint(setup, ['local', 'other']);
    await rig.part('owner', () => control(rig, setup));
    await rig.part('strangers', async () => strange(rig, setup, await strangers(setup), size === 'full'));
    await rig.part('guesses', async () => guess(rig, setup, await strangers(setup)));
    await rig.part('limited tokens', () => limited(rig, setup));
    const after = await statePrint(setup, ['local', 'other']);
    rig.expect(after !== before, 'The tokens of the sweep left no trace in the state, so that it cannot be compared.');
    await rig.part('state', () => unchanged(rig, setup));
  },
};

/** The paths of the table, with real names in them, and of every operation in both spellings. */
function pathsOf(pattern: string): string[] {
  if (pattern === '/api/*') {
    const names = Object.keys(operations).flatMap((name) => [`/api/${name.replaceAll('.', '/')}`, `/api/${name}`]);
    return ['/api/openapi.json', '/api/', ...names];
  }
  return [pattern.replace('{server}', 'local').replace('{project}', 'shop').replace('*', 'mcp')];
}

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

function requestTo(method: string, path: string, more: Stranger['headers'], text = body): Knock {
  const types = [
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
  ] as const;
  return { method, path, headers: [...types, ...more], ...(method === 'CONNECT' ? {} : { body: text }) };
}

function bearer(token: string): Stranger['headers'] {
  return [['Authorization', `Bearer ${token}`]];
}

/** With the right token the same requests get somewhere, so that a refusal says something. */
async function control(rig: Rig, setup: Setup): Promise<void> {
  const { url, ownerToken } = setup.gateway;
  let reached = 0;
  for (const path of routeTable.flatMap(({ pattern }) => pathsOf(pattern))) {
    // It takes the code of a link, and a token is none.
    if (path === '/sign-in') continue;
    const { status } = await knock(rig.history, url, requestTo('POST', path, bearer(ownerToken), '{"no":"input"}'));
    if (status !== 404 && status !== 405) reached += 1;
    rig.expect(status !== 401 && status !== 403, `The owner got ${status} at ${path}.`);
  }
  rig.figure('routes', routeTable.length);
  rig.figure('operations', Object.keys(operations).length);
  rig.expect(reached > Object.keys(operations).length, `Only ${reached} paths are there for the owner.`);
}

async function strange(rig: Rig, setup: Setup, all: readonly Stranger[], isFull: boolean): Promise<void> {
  const visits = routeTable.flatMap(({ pattern }) =>
    pathsOf(pattern).flatMap((path) => {
      const isApi = path.startsWith('/api/');
      const methods = isApi && !isFull ? ['GET', 'POST'] : [...standing, ...(isFull ? rare : [])];
      const plain = all.filter(({ isPlain }) => isPlain);
      // No operation answers GET: in a quick examination one stranger tries it.
      const some = (method: string) => (isFull || !isApi ? all : method === 'GET' ? plain.slice(0, 1) : plain);
      return methods.flatMap((method) =>
        some(method).map(({ who, headers, query = '', text = body }): Visit => {
          return { who, request: requestTo(method, `${path}${query}`, headers, text) };
        }),
      );
    }),
  );
  const once = rare.flatMap((method) =>
    ['/mcp', '/api/tokens/list', '/'].map((path): Visit => ({ who: 'nobody', request: requestTo(method, path, []) })),
  );
  await sweep(rig, setup, [...visits, ...once]);
}

async function guess(rig: Rig, setup: Setup, all: readonly Stranger[]): Promise<void> {
  const visits = guessedPaths.flatMap((path) =>
    ['GET', 'POST', 'OPTIONS'].flatMap((method) =>
      all
        .filter(({ isPlain }) => isPlain)
        .map((one): Visit => ({ who: one.who, request: requestTo(method, path, one.headers) })),
    ),
  );
  await sweep(rig, setup, visits);
}

/** No stranger gets an answer, and none is sent on to anywhere. */
async function sweep(rig: Rig, setup: Setup, visits: readonly Visit[]): Promise<void> {
  let open = 0;
  await eachOf(visits, async ({ who, request }) => {
    const answer = await knock(rig.history, setup.gateway.url, request);
    const isOpen = isPublic(request) && answer.status === 200;
    if (isOpen) open += 1;
    // Nobody is a proxy here, which the connection says by its end.
    const isCut = request.method === 'CONNECT' && answer.status === 0;
    rig.expect(
      isOpen || isCut || isRefused(answer),
      () => `${who}: ${request.method} ${request.path} got ${answer.status}.`,
    );
    rig.expect(!/access-control-allow-origin/i.test(answer.head), `${request.path} lets pages of others read it.`);
  });
  add(rig, 'strangers', visits.length);
  add(rig, 'public answers', open);
}

function isPublic({ method, path }: Knock): boolean {
  return (method === 'GET' || method === 'HEAD') && publicPaths.has(path.split('?')[0] ?? '');
}

function isRefused({ status }: Answer): boolean {
  return status >= 400 && status < 500;
}

/** Tokens that are good, and not for this. */
async function limited(rig: Rig, setup: Setup): Promise<void> {
  const tokens = {
    office: await makeToken(setup, 'office', { project: 'office', servers: ['other'] }),
    metrics: await makeToken(setup, 'counter', { scopes: ['metrics'] }),
    use: setup.gateway.agentToken,
  };
  const trust = trustMe('shop').filter(([name]) => name !== 'X-Toolcrib-Project');
  for (const [who, token] of Object.entries(tokens)) {
    const visits = routeTable.flatMap(({ pattern }) =>
      pathsOf(pattern).flatMap((path) =>
        [bearer(token), [...bearer(token), ...trust]].map((headers): Visit => {
          return { who, request: requestTo('POST', path, headers) };
        }),
      ),
    );
    await eachOf(visits, async ({ request }) => {
      const answer = await knock(rig.history, setup.gateway.url, request);
      const isIts = mayHave(who, request.path);
      rig.expect(
        isIts ? answer.status !== 401 && answer.status !== 403 : isRefused(answer),
        () => `The token "${who}" got ${answer.status} at ${request.path}.`,
      );
      rig.expect(
        isIts || !/"result"|"local\./.test(answer.body),
        () => `The token "${who}" read at ${request.path}: ${answer.body.slice(0, 200)}`,
      );
    });
    add(rig, 'limited', visits.length);
  }
  await wrongProjects(rig, setup, tokens.office);
}

function mayHave(who: string, path: string): boolean {
  const operation = path.replace('/api/', '').replaceAll('/', '.');
  const scope = Object.entries(operations).find(([name]) => name === operation)?.[1].scope ?? 'admin';
  if (path.startsWith('/api/')) return who !== 'metrics' && scope === 'use';
  // The page is for everybody, and to sign out takes a token of any scope.
  if (['/', '/sign-out'].includes(path)) return true;
  if (who === 'metrics') return false;
  if (path === '/mcp' || path === '/catalog/search') return true;
  return who === 'use' && (path.startsWith('/projects/') || path.startsWith('/servers/') || path.startsWith('/s/'));
}

/** Things of another project look as if they did not exist. */
async function wrongProjects(rig: Rig, setup: Setup, token: string): Promise<void> {
  const { url } = setup.gateway;
  const pairs: readonly (readonly [Knock, Knock])[] = [
    [requestTo('POST', '/projects/shop/mcp', bearer(token)), requestTo('POST', '/projects/shoq/mcp', bearer(token))],
    [requestTo('POST', '/servers/local/mcp', bearer(token)), requestTo('POST', '/servers/locak/mcp', bearer(token))],
    [requestTo('POST', '/s/local/mcp', bearer(token)), requestTo('POST', '/s/locak/mcp', bearer(token))],
    ...['/mcp', '/servers/other/mcp', '/catalog/search', '/api/tools/list'].map((path) => {
      const naming = (name: string) =>
        requestTo(
          'POST',
          path,
          [...bearer(token), ['X-Toolcrib-Project', name]],
          path === '/api/tools/list' ? '{}' : body,
        );
      return [naming('shop'), naming('shoq')] as const;
    }),
  ];
  for (const [foreign, absent] of pairs) {
    const [one, other] = [await knock(rig.history, url, foreign), await knock(rig.history, url, absent)];
    const plain = ({ status, body: text }: Answer) =>
      `${status} ${text.replaceAll(/shoq|locak/g, (word) => ({ shoq: 'shop', locak: 'local' })[word] ?? word)}`;
    rig.expect(
      one.status === 404 && plain(one) === plain(other),
      () => `${foreign.path} got ${plain(one)}, and where there is nothing ${plain(other)}.`,
    );
  }
}

/** But for the tokens that the sweep itself made. */
async function unchanged(rig: Rig, setup: Setup): Promise<void> {
  const names = (await order(setup, 'tokens.list', { ended: true })).map(({ name }) => name).sort();
  rig.expect(
    names.every((name) => ['agent', 'owner', 'office', 'counter', 'revoked', 'revoked-2'].includes(name)),
    `There are tokens that nobody should have made: ${names.join(', ')}`,
  );
  const servers = (await order(setup, 'servers.list', {})).map(({ name }) => name).sort();
  rig.expect(servers.join() === 'local,other,sibling', `The servers are now ${servers.join(', ')}.`);
  const projects = (await order(setup, 'projects.list', {})).map(({ name }) => name).sort();
  rig.expect(projects.join() === 'office,shop', `The projects are now ${projects.join(', ')}.`);
  const calls = ['local', 'other'].flatMap((name) => setup.server(name).noted('tool'));
  rig.expect(calls.length === 0, `${calls.length} tools were run.`);
}

function add(rig: Rig, name: string, count: number): void {
  rig.figures[name] = Number(rig.figures[name] ?? 0) + count;
}

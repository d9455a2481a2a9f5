/** B05: answers to a caller without the right token name the one it takes: exact headers, and the documents that they lead to. */

import { startTokenIssuer, type TokenIssuer } from '../../test/kit/token-issuer.ts';
import type { Check } from '../check.ts';
import { ERAS, type Era, writeRequest } from '../kit/agent-requests.ts';
import { type Answer, headerOf, type Knock, knock } from '../kit/knock.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

type Header = readonly [string, string];

const wellKnown = '/.well-known/oauth-protected-resource';
const doors = [
  '/mcp',
  '/servers/local/mcp',
  '/s/local/mcp',
  '/projects/shop/mcp',
  '/servers/not-there/mcp',
  '/gateway/mcp',
];
const scopes = { use: 'crib:use', admin: 'crib:admin', metrics: 'crib:metrics' };

export const challenges: Check = {
  id: 'B05',
  kind: 'bad inputs',
  title: 'Challenges and resource metadata',
  passes:
    'every 401 and 403 has the exact challenge, it leads to valid RFC 9728 metadata of that door, tokens in addresses are refused',
  eras: ERAS,
  async run(rig) {
    await using parts = new AsyncDisposableStack();
    const issuer = parts.use(await startTokenIssuer());
    const oauth = { issuer: issuer.url, keepTokens: true, scopes };
    const setup = await rig.open({
      servers: { local: {} },
      config: {
        access: { auth: 'oauth', oauth },
        projects: { shop: { servers: ['local'] } },
        limits: { failedSignInsPerMinute: 0 },
      },
    });
    for (const door of doors) await rig.part(`metadata of ${door}`, () => metadata(rig, setup, issuer, door));
    await rig.part('other documents', () => others(rig, setup, issuer));
    for (const era of ERAS) await rig.part(`no token, ${era}`, () => missing(rig, setup, era));
    await rig.part('bad tokens', () => bad(rig, setup, issuer));
    await rig.part('step-up', () => stepUp(rig, setup, issuer));
    await rig.part('addresses', () => addresses(rig, setup, issuer));
  },
};

function requestTo(path: string, era: Era, token?: string): Knock {
  const { headers, body } = writeRequest(era, { id: 1, method: era === 'modern' ? 'tools/list' : 'ping' }, {});
  const named: Header[] = token === undefined ? [] : [['Authorization', `Bearer ${token}`]];
  return { method: 'POST', path, headers: [...Object.entries(headers), ...named], body };
}

/** The parameters of the one challenge that an answer has; undefined where it is not written as RFC 9110 says. */
function challengeOf(answer: Answer): Readonly<Record<string, string>> | undefined {
  const lines = answer.head.split('\r\n').filter((line) => /^www-authenticate:/i.test(line));
  const text = headerOf(answer, 'www-authenticate') ?? '';
  if (lines.length !== 1 || !/^Bearer \w+="[^"\\]*"(, \w+="[^"\\]*")*$/.test(text)) return undefined;
  const pairs = [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value] as const);
  return new Set(pairs.map(([name]) => name)).size === pairs.length ? Object.fromEntries(pairs) : undefined;
}

function documentOf({ gateway }: Setup, door: string): string {
  return `${gateway.url}${wellKnown}${door}`;
}

/** RFC 9728, section 3.3: what the document calls the resource is what its own address was made from. */
async function metadata(rig: Rig, setup: Setup, issuer: TokenIssuer, door: string): Promise<void> {
  for (const path of door === '/mcp' ? ['/mcp', ''] : [door]) {
    const answer = await knock(rig.history, setup.gateway.url, { path: `${wellKnown}${path}` });
    const facts = answer.status === 200 ? (JSON.parse(answer.body) as Record<string, unknown>) : {};
    const expected = {
      resource: `${setup.gateway.url}${path}`,
      authorization_servers: [issuer.url],
      scopes_supported: Object.values(scopes),
      bearer_methods_supported: ['header'],
    };
    for (const [name, value] of Object.entries(expected))
      rig.expect(
        JSON.stringify(facts[name]) === JSON.stringify(value),
        `${path || '/'}: ${name} is ${JSON.stringify(facts[name])}.`,
      );
    rig.expect(
      headerOf(answer, 'content-type') === 'application/json',
      `${path}: it is ${headerOf(answer, 'content-type')}.`,
    );
    rig.expect(headerOf(answer, 'set-cookie') === undefined, `${path}: it sets a cookie.`);
    rig.figures.documents = Number(rig.figures.documents ?? 0) + 1;
  }
  const unauthorized = await knock(rig.history, setup.gateway.url, requestTo(door, 'modern'));
  const challenge = challengeOf(unauthorized);
  rig.expect(unauthorized.status === 401, `${door} got ${unauthorized.status}.`);
  rig.expect(
    challenge?.resource_metadata === documentOf(setup, door),
    `${door} leads to ${challenge?.resource_metadata}.`,
  );
}

async function others(rig: Rig, setup: Setup, issuer: TokenIssuer): Promise<void> {
  const { url } = setup.gateway;
  for (const path of [
    '/nothing',
    '/api/tools/list',
    '/healthz',
    '/servers/local',
    '/mcp/x',
    '/%',
    '/../mcp',
    '/oauth/callback',
  ]) {
    const { status } = await knock(rig.history, url, { path: `${wellKnown}${path}` });
    rig.expect(status === 404 || status === 400, `The document of ${path} got ${status}.`);
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const { status } = await knock(rig.history, url, { method, path: `${wellKnown}/mcp` });
    rig.expect(status === 405, `${method} at a document got ${status}.`);
  }
  const head = await knock(rig.history, url, { method: 'HEAD', path: `${wellKnown}/mcp` });
  rig.expect(head.status === 200 && head.body === '', `HEAD got ${head.status}.`);
  // We are not the issuer, and do not say that we were.
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const { status } = await knock(rig.history, url, { path: `/.well-known/${name}` });
    rig.expect(status === 404, `${name} got ${status}.`);
  }
  rig.expect(!issuer.url.startsWith(url), 'The issuer is the gateway.');
}

/** RFC 6750, section 3.1: a request without a token gets no error, only the way to get one. */
async function missing(rig: Rig, setup: Setup, era: Era): Promise<void> {
  const places: Readonly<Record<string, string | undefined>> = {
    '/mcp': scopes.use,
    '/servers/local/mcp': scopes.use,
    '/gateway/mcp': scopes.admin,
  };
  for (const [path, scope] of Object.entries(places)) {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const request = requestTo(path, era);
      const answer = await knock(
        rig.history,
        setup.gateway.url,
        method === 'POST' ? request : { method, path, headers: [['Accept', 'text/event-stream']] },
      );
      const challenge = challengeOf(answer);
      const isRight =
        challenge?.error === undefined &&
        challenge?.scope === scope &&
        challenge?.resource_metadata === documentOf(setup, path);
      rig.expect(
        answer.status === 401 && isRight,
        () => `${method} ${path} without a token: ${answer.status} ${JSON.stringify(challenge)}`,
      );
      count(rig);
    }
  }
  for (const path of ['/api/tools/list', '/catalog/search']) {
    const answer = await knock(rig.history, setup.gateway.url, {
      method: 'POST',
      path,
      headers: [['Content-Type', 'application/json']],
      body: '{}',
    });
    const challenge = challengeOf(answer);
    rig.expect(
      answer.status === 401 && challenge?.resource_metadata === documentOf(setup, ''),
      () => `${path}: ${answer.status} ${JSON.stringify(challenge)}`,
    );
    count(rig);
  }
}

async function bad(rig: Rig, setup: Setup, issuer: TokenIssuer): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  const tokens = {
    'no token at all': 'x.y.z',
    expired: await issuer.token(setup.gateway.url, { iat: now - 7_200, exp: now - 3_600 }),
    'of another audience': await issuer.token('https://elsewhere.example'),
    'of our own kind': `tc_${'A'.repeat(43)}`,
  };
  for (const [title, token] of Object.entries(tokens)) {
    for (const era of ERAS) {
      const answer = await knock(rig.history, setup.gateway.url, requestTo('/mcp', era, token));
      const challenge = challengeOf(answer);
      const isRight = challenge?.error === 'invalid_token' && challenge.resource_metadata === documentOf(setup, '/mcp');
      rig.expect(answer.status === 401 && isRight, () => `${title}: ${answer.status} ${JSON.stringify(challenge)}`);
      count(rig);
    }
  }
}

/** A good token that lacks a scope hears which one, all in one challenge; with it the same request goes through. */
async function stepUp(rig: Rig, setup: Setup, issuer: TokenIssuer): Promise<void> {
  const { url } = setup.gateway;
  const token = (scope: string) => issuer.token(url, { scope });
  const json: Header[] = [['Content-Type', 'application/json']];
  const order = (path: string, bearer: string): Knock => ({
    method: 'POST',
    path,
    headers: [...json, ['Authorization', `Bearer ${bearer}`]],
    body: '{}',
  });
  const [use, admin, none] = [
    await token(scopes.use),
    await token(`${scopes.use} ${scopes.admin}`),
    await token('openid'),
  ];
  const cases: readonly (readonly [string, Knock, string, string])[] = [
    ['the door of the owner', requestTo('/gateway/mcp', 'modern', use), scopes.admin, '/gateway/mcp'],
    ['a door without any scope', requestTo('/mcp', 'modern', none), scopes.use, '/mcp'],
    ['an old agent without any scope', requestTo('/mcp', 'legacy', none), scopes.use, '/mcp'],
    ['an operation of the owner', order('/api/servers/list', use), scopes.admin, ''],
    ['an operation without any scope', order('/api/tools/list', none), scopes.use, ''],
    ['the search without any scope', order('/catalog/search', none), scopes.use, ''],
  ];
  for (const [title, request, scope, door] of cases) {
    const answer = await knock(rig.history, url, request);
    const challenge = challengeOf(answer);
    const isRight =
      challenge?.error === 'insufficient_scope' &&
      challenge.scope === scope &&
      challenge.resource_metadata === documentOf(setup, door);
    rig.expect(answer.status === 403 && isRight, () => `${title}: ${answer.status} ${JSON.stringify(challenge)}`);
    count(rig);
  }
  for (const request of [
    requestTo('/gateway/mcp', 'modern', admin),
    order('/api/servers/list', admin),
    requestTo('/mcp', 'modern', use),
  ]) {
    const { status } = await knock(rig.history, url, request);
    rig.expect(status === 200, `With the scope ${request.path} got ${status}.`);
  }
}

/** Neither alone nor beside a good header, and it is not repeated. */
async function addresses(rig: Rig, setup: Setup, issuer: TokenIssuer): Promise<void> {
  const good = await issuer.token(setup.gateway.url);
  for (const token of [good, setup.gateway.agentToken]) {
    for (const path of [...doors, '/api/tools/list', '/catalog/search']) {
      for (const header of [undefined, good]) {
        const answer = await knock(
          rig.history,
          setup.gateway.url,
          requestTo(`${path}?access_token=${token}`, 'modern', header),
        );
        const challenge = challengeOf(answer);
        const isRight = answer.status === 401 || (answer.status === 400 && challenge?.error === 'invalid_request');
        rig.expect(isRight, () => `A token in the address of ${path}: ${answer.status} ${JSON.stringify(challenge)}`);
        rig.expect(!answer.head.includes(token) && !answer.body.includes(token), `${path} repeats the token.`);
        count(rig);
      }
    }
  }
}

function count(rig: Rig): void {
  rig.figures.challenges = Number(rig.figures.challenges ?? 0) + 1;
}

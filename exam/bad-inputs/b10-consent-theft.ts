/** B10: nobody can get a code or a token from the gateway, because it gives none; and what it fetches for itself cannot be fetched for, or by, others. */

import { routeTable } from '../../src/door/door.ts';
import { visit } from '../../test/kit/oauth-browser.ts';
import { type Gate, startGate } from '../../test/kit/oauth-gate.ts';
import { startIssuer, type TestIssuer } from '../../test/kit/oauth-issuer.ts';
import { startServer } from '../../test/servers/launch.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { type Answer, headerOf, knock } from '../kit/knock.ts';
import { makeToken, operate, order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

/** Where gateways that act as authorization servers have their doors. */
const roles = [
  ...['authorize', 'authorization', 'token', 'register', 'registration', 'consent', 'introspect', 'revoke', 'userinfo'],
  ...['login', 'jwks', 'jwks.json', 'device_authorization', 'par', 'callback', 'auth', 'reg', 'approve', 'grant'],
];
const prefixes = [
  '',
  '/oauth',
  '/oauth2',
  '/oauth/v2',
  '/auth',
  '/connect',
  '/mcp',
  '/api',
  '/api/oauth',
  '/.well-known',
];
const documents = ['oauth-authorization-server', 'openid-configuration', 'jwks.json'];
const evil = 'https://evil.example/take';

interface Place {
  readonly setup: Setup;
  readonly issuer: TestIssuer;
  readonly gates: Readonly<Record<string, Gate>>;
}

export const consentTheft: Check = {
  id: 'B10',
  kind: 'bad inputs',
  title: 'Consent theft',
  passes:
    'there is no authorize or token route; a sign-in of ours ends once, with its own state and code, and for nobody else',
  eras: ERAS,
  async run(rig) {
    await using parts = new AsyncDisposableStack();
    const issuer = parts.use(await startIssuer({ scopes: 'notes:read', hasRegistration: true }));
    const gates: Record<string, Gate> = {};
    for (const name of ['far', 'near']) {
      const server = parts.use(await startServer({ name }));
      gates[name] = parts.use(await startGate({ upstream: server.url, issuer: () => issuer, scope: 'notes:read' }));
    }
    const setup = await rig.open({
      servers: {},
      config: { access: { privateHosts: ['127.0.0.1'], keyring: 'off' }, limits: { failedSignInsPerMinute: 0 } },
      configText: (config) => withGates(config, gates),
    });
    const place = { setup, issuer, gates };
    await rig.part('role', () => noRole(rig, setup));
    await rig.part('begin', () => begin(rig, place));
    await rig.part('returns', () => returns(rig, place));
    await rig.part('mixed up', () => mixedUp(rig, place));
    await rig.part('another path', () => otherPath(rig, place));
    await rig.part('code', () => stolenCode(rig, place));
    await rig.part('end', () => end(rig, place));
  },
};

function withGates(config: unknown, gates: Readonly<Record<string, Gate>>): string {
  const { mcpServers, ...rest } = config as { mcpServers: Record<string, unknown> };
  const more = Object.entries(gates).map(([name, { url }]) => [name, { url }]);
  return JSON.stringify({ ...rest, mcpServers: { ...mcpServers, ...Object.fromEntries(more) } });
}

/** Neither in the table nor at any usual place, for nobody and for the owner. */
async function noRole(rig: Rig, setup: Setup): Promise<void> {
  const listed = routeTable.filter(({ pattern }) => /authori[sz]e|\/token|register|consent|introspect/.test(pattern));
  rig.expect(listed.length === 0, `There are routes for it: ${listed.map(({ pattern }) => pattern).join(', ')}`);
  const query = `?response_type=code&client_id=x&redirect_uri=${encodeURIComponent(evil)}&state=s&code_challenge=c&code_challenge_method=S256`;
  const paths = [
    ...prefixes.flatMap((prefix) => roles.map((role) => `${prefix}/${role}`)),
    ...documents.flatMap((name) => [`/.well-known/${name}`, `/.well-known/${name}/mcp`, `/mcp/.well-known/${name}`]),
  ];
  const body = `grant_type=authorization_code&code=x&redirect_uri=${encodeURIComponent(evil)}`;
  let asked = 0;
  for (const path of paths.filter((one) => one !== '/oauth/callback')) {
    for (const token of [undefined, setup.gateway.ownerToken]) {
      for (const method of ['GET', 'POST']) {
        const answer = await knock(rig.history, setup.gateway.url, {
          ...{ method, path: method === 'GET' ? `${path}${query}` : path },
          headers: [
            ['Content-Type', 'application/x-www-form-urlencoded'],
            ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
          ],
          ...(method === 'POST' && { body }),
        });
        asked += 1;
        rig.expect(givesNothing(answer), () => `${method} ${path} got ${answer.status} ${answer.body.slice(0, 200)}`);
      }
    }
  }
  rig.figure('places of the role', asked);
}

function givesNothing(answer: Answer): boolean {
  const isRefused = answer.status >= 400 && answer.status < 500;
  return (
    isRefused &&
    headerOf(answer, 'location') === undefined &&
    !/access_token|"code":"[^"]{8,}/.test(answer.body.replaceAll(/"code":"[A-Z_]+"/g, ''))
  );
}

/** Begins a sign-in; gives where the browser would come back to, which nobody has visited yet. */
async function callbackOf({ setup }: Place, name: string): Promise<{ readonly address: URL; readonly back: URL }> {
  const { address } = await order(setup, 'servers.signIn', { name });
  const { url } = await visit(
    address,
    setup.gateway.url.replace(
      '127.0.0.1',
      new URL(address).searchParams.get('redirect_uri')?.includes('localhost') === true ? 'localhost' : '127.0.0.1',
    ),
  );
  return { address: new URL(address), back: new URL(url) };
}

async function stateOf({ setup }: Place, name: string): Promise<string> {
  return (await order(setup, 'servers.signIns', {})).find((row) => row.name === name)?.state ?? 'none';
}

/** Only the owner begins one, and what the browser is sent with is for this gateway and this server alone. */
async function begin(rig: Rig, place: Place): Promise<void> {
  const { setup, issuer, gates } = place;
  const limited = await makeToken(setup, 'limited');
  for (const token of [limited, setup.gateway.agentToken]) {
    for (const operation of [
      'servers.signIn',
      'servers.finishSignIn',
      'servers.signInEnd',
      'servers.signOut',
      'servers.signIns',
    ]) {
      const { status } = await operate(setup, token, operation, { name: 'far' });
      rig.expect(status === 403, `${operation} by an agent got ${status}.`);
    }
  }
  const { address, back } = await callbackOf(place, 'far');
  const sent = address.searchParams;
  const origin = new URL(setup.gateway.url).port;
  rig.expect(
    sent.get('code_challenge_method') === 'S256' && (sent.get('code_challenge') ?? '').length >= 43,
    'There is no PKCE.',
  );
  rig.expect((sent.get('state') ?? '').length >= 22, `The state is short: ${sent.get('state')?.length}.`);
  rig.expect(sent.get('resource') === gates.far?.url, `The resource is ${sent.get('resource')}.`);
  rig.expect(
    new URL(sent.get('redirect_uri') ?? 'x:').port === origin,
    `The browser comes back to ${sent.get('redirect_uri')}.`,
  );
  rig.expect(back.port === origin && back.searchParams.has('code'), `It came back to ${back.origin}${back.pathname}.`);
  const registered = JSON.stringify(issuer.lastRegistration?.redirect_uris ?? []);
  rig.expect(!/evil|\*/.test(registered) && registered.includes(`:${origin}/`), `Registered were ${registered}.`);
}

/** Requests that an attacker can make the owner's browser, or their own, send. */
async function returns(rig: Rig, place: Place): Promise<void> {
  const { setup, issuer } = place;
  const { back } = await callbackOf(place, 'far');
  const before = issuer.tokenRequests.length;
  const state = back.searchParams.get('state') ?? '';
  const changed = (change: (query: URLSearchParams) => void) => {
    const url = new URL(back);
    change(url.searchParams);
    return `${url.pathname}${url.search}`;
  };
  const own = `${back.pathname}${back.search}`;
  const tries: Readonly<Record<string, () => Promise<Answer>>> = {
    'no state': () =>
      get(
        rig,
        setup,
        changed((query) => query.delete('state')),
      ),
    'an empty state': () =>
      get(
        rig,
        setup,
        changed((query) => query.set('state', '')),
      ),
    'a guessed state': () =>
      get(
        rig,
        setup,
        changed((query) => query.set('state', `A${state.slice(1)}`)),
      ),
    'a longer state': () =>
      get(
        rig,
        setup,
        changed((query) => query.set('state', `${state}A`)),
      ),
    'a state in capitals': () =>
      get(
        rig,
        setup,
        changed((query) => query.set('state', state.toUpperCase())),
      ),
    'two states': () =>
      get(
        rig,
        setup,
        changed((query) => query.append('state', 'x')),
      ),
    'a foreign host': () => get(rig, setup, own, [['Host', 'evil.example']]),
    'a page of others': () =>
      get(rig, setup, own, [
        ['Host', new URL(setup.gateway.url).host],
        ['Origin', 'http://evil.example'],
      ]),
    HEAD: () => get(rig, setup, own, [], 'HEAD'),
    POST: () => get(rig, setup, own, [], 'POST'),
  };
  for (const [title, attempt] of Object.entries(tries)) {
    const answer = await attempt();
    rig.figures.attempts = Number(rig.figures.attempts ?? 0) + 1;
    rig.expect(answer.status >= 400 && answer.status < 500, `${title} got ${answer.status}.`);
    rig.expect(!answer.body.includes(state) && !answer.head.includes(state), `${title} is told the state.`);
  }
  rig.expect(issuer.tokenRequests.length === before, 'A code was redeemed although the state was wrong.');
  rig.expect((await stateOf(place, 'far')) !== 'signed-in', 'It is signed in.');
  await once(rig, place, own);
}

/** The owner's own browser still gets through, once. */
async function once(rig: Rig, { setup, issuer }: Place, own: string): Promise<void> {
  const before = issuer.tokenRequests.length;
  const good = await get(rig, setup, own);
  rig.expect(good.status === 200, () => `The right one got ${good.status} ${good.body.slice(0, 300)}`);
  rig.expect(
    issuer.tokenRequests.length === before + 1,
    `${issuer.tokenRequests.length - before} codes were redeemed.`,
  );
  const again = await get(rig, setup, own);
  rig.expect(again.status === 400, `The same once more got ${again.status}.`);
  rig.expect(issuer.tokenRequests.length === before + 1, 'The code was redeemed again.');
  rig.expect(
    !/code=|state=/.test(`${headerOf(good, 'location')}`) && headerOf(good, 'referrer-policy') === 'no-referrer',
    'The address of the page is passed on.',
  );
}

function get(
  rig: Rig,
  { gateway }: Setup,
  path: string,
  headers: readonly (readonly [string, string])[] = [],
  method = 'GET',
): Promise<Answer> {
  return knock(rig.history, gateway.url, { method, path, headers });
}

/** Two at once: the code of one with the state of the other, and an answer in the name of another issuer. */
async function mixedUp(rig: Rig, place: Place): Promise<void> {
  const { setup } = place;
  await order(setup, 'servers.signOut', { name: 'far' });
  const [far, near] = [await callbackOf(place, 'far'), await callbackOf(place, 'near')];
  const crossed = new URL(near.back);
  crossed.searchParams.set('code', far.back.searchParams.get('code') ?? '');
  const answer = await get(rig, setup, `${crossed.pathname}${crossed.search}`);
  rig.expect(answer.status === 400, `The code of another sign-in got ${answer.status}.`);
  rig.expect((await stateOf(place, 'near')) !== 'signed-in', 'With the code of another sign-in it is signed in.');
  for (const [title, change] of [
    ['another issuer', (query: URLSearchParams) => query.set('iss', 'https://evil.example')],
    ['no issuer', (query: URLSearchParams) => query.delete('iss')],
    ['two issuers', (query: URLSearchParams) => query.append('iss', 'https://evil.example')],
    ['an error and a code', (query: URLSearchParams) => query.set('error', 'access_denied')],
    ['two codes', (query: URLSearchParams) => query.append('code', 'x')],
  ] as const) {
    const { back } = await callbackOf(place, 'near');
    change(back.searchParams);
    const got = await get(rig, setup, `${back.pathname}${back.search}`);
    rig.figures.attempts = Number(rig.figures.attempts ?? 0) + 1;
    rig.expect(got.status === 400, `${title} got ${got.status}.`);
    rig.expect((await stateOf(place, 'near')) !== 'signed-in', `${title}: it is signed in.`);
  }
}

/** The callback address of one issuer does not accept answers of another. */
async function otherPath(rig: Rig, place: Place): Promise<void> {
  const { back } = await callbackOf(place, 'near');
  const got = await get(rig, place.setup, `${back.pathname}/x${back.search}`);
  rig.expect(got.status >= 400 && got.status < 500, `Another path got ${got.status}.`);
  rig.expect((await stateOf(place, 'near')) !== 'signed-in', 'Another path: it is signed in.');
}

/** An eavesdropper cannot use the code: its proof never left the gateway. */
async function stolenCode(rig: Rig, place: Place): Promise<void> {
  const { address, back } = await callbackOf(place, 'near');
  const sent = address.searchParams;
  for (const verifier of [undefined, 'A'.repeat(43), sent.get('code_challenge') ?? '']) {
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: back.searchParams.get('code') ?? '' },
      ...{ redirect_uri: sent.get('redirect_uri') ?? '', client_id: sent.get('client_id') ?? '' },
      ...(verifier !== undefined && { code_verifier: verifier }),
    });
    const response = await fetch(`${place.issuer.url}/token`, { method: 'POST', body });
    const text = await response.text();
    rig.expect(response.status >= 400 && !text.includes('access_token'), `A stolen code got ${response.status}.`);
  }
}

/** After all that a sign-in by the owner works, for its server alone. */
async function end(rig: Rig, place: Place): Promise<void> {
  const { setup, gates } = place;
  const { back } = await callbackOf(place, 'near');
  const { status } = await get(rig, setup, `${back.pathname}${back.search}`);
  rig.expect(status === 200 && (await stateOf(place, 'near')) === 'signed-in', `In the end the owner got ${status}.`);
  await order(setup, 'servers.refresh', { name: 'near' });
  const tokens = new Set(gates.near?.seen.filter((one) => one !== undefined));
  rig.expect(tokens.size > 0, 'The server that was signed in to never saw a token.');
  rig.expect(
    !gates.far?.seen.some((one) => one !== undefined && tokens.has(one)),
    'One server saw the token of another.',
  );
}

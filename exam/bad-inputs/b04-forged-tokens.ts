/** B04: tokens of an issuer that are nearly good, at every kind of route; none lets anybody in, and no address in them is asked. */

import { readFileSync } from 'node:fs';
import { makeKey, startTokenIssuer } from '../../test/kit/token-issuer.ts';
import type { Check } from '../check.ts';
import { ERAS, writeRequest } from '../kit/agent-requests.ts';
import { openCanary } from '../kit/canary-port.ts';
import { type ForgedToken, forgeTokens } from '../kit/forged-tokens.ts';
import { type Answer, headerOf, type Knock, knock } from '../kit/knock.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

type Header = readonly [string, string];

export const forgedTokens: Check = {
  id: 'B04',
  kind: 'bad inputs',
  title: 'Forged and foreign JWTs',
  passes:
    'all refused with a challenge that says where tokens come from, nothing is fetched for them, a good one passes',
  eras: ERAS,
  async run(rig) {
    await using parts = new AsyncDisposableStack();
    const issuer = parts.use(await startTokenIssuer());
    const canary = parts.use(await openCanary());
    const rsa = await makeKey('rsa', 'RS256');
    issuer.publish(issuer.key, rsa);
    const oauth = { issuer: issuer.url, keepTokens: true };
    const setup = await rig.open({
      servers: { local: { modes: { journalRaw: true } } },
      config: { access: { auth: 'oauth', oauth }, limits: { failedSignInsPerMinute: 0 } },
    });
    const audience = setup.gateway.url;
    const good = await issuer.token(audience);
    const other = await rsa.sign(claimsOf(issuer.url, audience));
    await rig.part('good ones', () => goodOnes(rig, setup, [good, other]));
    const forged = await forgeTokens({ issuer, rsa, audience, canary: `http://127.0.0.1:${canary.port}` });
    for (const one of forged) await rig.part(one.title, () => refuseEverywhere(rig, setup, one));
    await rig.part('twice', () => twice(rig, setup, good));
    await rig.part('in the address', () => inAddress(rig, setup, good));
    rig.figure('forged', forged.length + 2);
    // Some sorts come in several spellings; two headers and the address are no tokens of their own.
    const sorts = forged.filter(({ isPublic }) => isPublic === true).map(({ title }) => title.split(/ with | as /)[0]);
    rig.figure('sorts of the public list', new Set(sorts).size + 2);
    rig.expect(new Set(sorts).size + 2 === 14, 'Not all sorts of the public list were tried.');
    rig.expect(canary.visits() === 0, `${canary.visits()} addresses in tokens were asked.`);
    const unasked = issuer.asked.filter((path) => !['/keys', '/.well-known/oauth-authorization-server'].includes(path));
    rig.expect(unasked.length === 0, `The issuer was asked for ${unasked.join(', ')}.`);
    rig.figure('asked for keys', issuer.asked.filter((path) => path === '/keys').length);
    rig.expect(
      !readFileSync(setup.server('local').journalPath, 'utf8').includes(good),
      'A token was passed on to a server.',
    );
    rig.expect(!setup.gateway.log().includes(good.slice(-40)), 'A token is in the log.');
  },
};

function claimsOf(iss: string, aud: string) {
  const now = Math.floor(Date.now() / 1_000);
  return { iss, aud, sub: 'anna', iat: now, exp: now + 600, scope: 'toolcrib:use' };
}

/** One request of each kind, correct but for who sends it. */
function requests(): Knock[] {
  const modern = writeRequest('modern', { id: 1, method: 'tools/list' }, {});
  const clientInfo = { name: 'exam', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const legacy = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const json: Header[] = [
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
  ];
  return [
    { method: 'POST', path: '/mcp', headers: Object.entries(modern.headers), body: modern.body },
    { method: 'POST', path: '/mcp', headers: json, body: JSON.stringify(legacy) },
    { method: 'POST', path: '/servers/local/mcp', headers: Object.entries(modern.headers), body: modern.body },
    { method: 'POST', path: '/api/tools/list', headers: json, body: '{}' },
    { method: 'POST', path: '/catalog/search', headers: json, body: '{"query":"echo"}' },
  ];
}

function bearing(request: Knock, ...tokens: readonly string[]): Knock {
  const named = tokens.map((token): Header => ['Authorization', `Bearer ${token}`]);
  return { ...request, headers: [...(request.headers ?? []), ...named] };
}

async function goodOnes(rig: Rig, setup: Setup, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    for (const request of requests()) {
      const { status, body } = await knock(rig.history, setup.gateway.url, bearing(request, token));
      rig.expect(status === 200, () => `A good token got ${status} at ${request.path}: ${body.slice(0, 200)}`);
    }
  }
  for (const era of ERAS) {
    const agent = await setup.agent(era, { token: tokens[0] ?? '' });
    const { said } = await agent.call('local.echo', { text: `by an issuer, ${era}` });
    rig.expect(said === `by an issuer, ${era}`, `A call with a good token said ${said.slice(0, 200)}`);
  }
}

async function refuseEverywhere(rig: Rig, setup: Setup, { title, token }: ForgedToken): Promise<void> {
  for (const request of requests()) {
    const answer = await knock(rig.history, setup.gateway.url, bearing(request, token));
    // A token longer than all headers may be is not read at all.
    const isTooLong = token.length > 15_000 && (answer.status === 431 || answer.status === 0);
    rig.expect(
      isTooLong || isRefusal(setup, answer),
      () => `${title} at ${request.path}: ${answer.status} ${headerOf(answer, 'www-authenticate')}`,
    );
    const tail = token.slice(-30);
    rig.expect(tail.length < 30 || !answer.body.includes(tail), `${title}: the token is repeated.`);
  }
}

/** RFC 6750 and 9728: what is wrong, and where good ones come from. */
function isRefusal({ gateway }: Setup, answer: Answer): boolean {
  const challenge = headerOf(answer, 'www-authenticate') ?? '';
  const isTold = challenge.includes(`resource_metadata="${gateway.url}/.well-known/oauth-protected-resource`);
  return (
    answer.status === 401 && challenge.startsWith('Bearer ') && isTold && challenge.includes('error="invalid_token"')
  );
}

async function twice(rig: Rig, setup: Setup, good: string): Promise<void> {
  for (const [request, tokens] of requests().flatMap(
    (one) =>
      [
        [one, [good, good]],
        [one, [good, 'x.y.z']],
        [one, ['x.y.z', good]],
      ] as const,
  )) {
    const answer = await knock(rig.history, setup.gateway.url, bearing(request, ...tokens));
    rig.expect(answer.status === 401 || answer.status === 400, `Two tokens at ${request.path} got ${answer.status}.`);
  }
}

async function inAddress(rig: Rig, setup: Setup, good: string): Promise<void> {
  for (const request of requests()) {
    for (const tokens of [[], [good]]) {
      const path = `${request.path}?access_token=${good}`;
      const answer = await knock(rig.history, setup.gateway.url, bearing({ ...request, path }, ...tokens));
      const isRefused = answer.status === 400 || answer.status === 401;
      rig.expect(isRefused, `A token in the address of ${request.path} got ${answer.status}.`);
    }
  }
}

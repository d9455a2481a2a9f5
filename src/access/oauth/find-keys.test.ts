/** Tests of where the keys of an issuer are looked for, and of what is not believed. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { limits } from '../../config/config.ts';
import { findKeys, metadataUrls } from './find-keys.ts';

type Answer = (origin: string) => unknown;

async function serve(context: TestContext, answers: Record<string, Answer>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = answers[request.url ?? '']?.(origin);
    if (typeof answer === 'number') return response.writeHead(answer, { location: `${origin}/keys` }).end();
    if (answer === undefined) return response.writeHead(404).end();
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const find = (settings: { issuer?: string; jwksUrl?: string | null } = {}) =>
    findKeys({
      settings: { issuer: settings.issuer ?? origin, jwksUrl: settings.jwksUrl ?? null },
      privateHosts: [],
      clock: systemClock,
    });
  return { origin, asked, find };
}

const keys = { keys: [{ kty: 'EC', kid: 'a' }, 'no key'] };
const oauthPlace = '/.well-known/oauth-authorization-server';
const openIdPlace = '/.well-known/openid-configuration';

test('an issuer describes itself at the places of the specification, also one with a path', () => {
  const paths = (issuer: string) => metadataUrls(new URL(issuer)).map(({ pathname }) => pathname);
  assert.deepEqual(paths('https://issuer.test'), [oauthPlace, openIdPlace]);
  assert.deepEqual(paths('https://issuer.test/a/b/'), [
    `${oauthPlace}/a/b`,
    `${openIdPlace}/a/b`,
    '/a/b/.well-known/openid-configuration',
  ]);
});

test('keys are where the metadata say, or where the owner says, without asking for metadata', async (context) => {
  const { origin, asked, find } = await serve(context, {
    [openIdPlace]: (own) => ({ issuer: own, jwks_uri: `${own}/keys` }),
    '/keys': () => keys,
  });
  assert.deepEqual((await find()).keys, [{ kty: 'EC', kid: 'a' }]);
  assert.deepEqual(asked.splice(0), [oauthPlace, openIdPlace, '/keys']);
  assert.equal((await find({ issuer: 'https://elsewhere.test', jwksUrl: `${origin}/keys` })).keys.length, 1);
  assert.deepEqual(asked, ['/keys']);
});

test('metadata in which somebody else is named are not believed, not even with a slash more', async (context) => {
  for (const named of ['https://other.test', 'slash', undefined]) {
    const metadata: Answer = (own) => ({ issuer: named === 'slash' ? `${own}/` : named, jwks_uri: `${own}/keys` });
    const { find, asked } = await serve(context, { [oauthPlace]: metadata, '/keys': () => keys });
    await assert.rejects(find(), { code: 'UNREACHABLE', message: /names itself/ });
    assert.ok(!asked.includes('/keys'));
  }
});

test('metadata do not lead into private networks, nor do redirects lead anywhere', async (context) => {
  const victim = await serve(context, { '/keys': () => keys });
  const { find } = await serve(context, {
    [oauthPlace]: (own) => ({ issuer: own, jwks_uri: `${victim.origin}/keys` }),
  });
  await assert.rejects(find(), { code: 'UNREACHABLE', message: /access\.privateHosts/ });
  assert.deepEqual(victim.asked, []);
  const moved = await serve(context, {
    [oauthPlace]: (own) => ({ issuer: own, jwks_uri: `${own}/old` }),
    '/old': () => 302,
    '/keys': () => keys,
  });
  await assert.rejects(moved.find(), { code: 'UNREACHABLE', message: /no set of keys/ });
  assert.ok(!moved.asked.includes('/keys'));
});

test('invalid, oversized and missing key sets are reported', async (context) => {
  const many = { keys: Array.from({ length: limits.issuerKeys + 1 }, () => ({ kty: 'EC' })) };
  const { origin, find } = await serve(context, {
    '/text': () => 'hello',
    '/list': () => [1],
    '/many': () => many,
    '/long': () => ' '.repeat(limits.issuerAnswerBytes + 1),
    '/broken': () => 500,
    [oauthPlace]: (own) => ({ issuer: own }),
  });
  for (const [path, message] of Object.entries({
    text: /no set of keys/,
    list: /no set of keys/,
    nothing: /no set of keys/,
    many: /more than 100 keys/,
    long: /an answer of more than 262144 bytes/,
    broken: /HTTP 500/,
  }))
    await assert.rejects(find({ jwksUrl: `${origin}/${path}` }), { code: 'UNREACHABLE', message }, path);
  await assert.rejects(find(), { message: /do not say where/ });
});

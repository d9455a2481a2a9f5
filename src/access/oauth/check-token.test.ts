/** Tests of tokens that must not be good, made by somebody who knows how tokens are made. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompactSign, type JSONWebKeySet, SignJWT } from 'jose';
import { issuerSettings } from '../../../test/kit/issuer-settings.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { makeKey, type SigningKey } from '../../../test/kit/token-issuer.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { type IssuerSettings, limits } from '../../config/config.ts';
import { checkToken } from './check-token.ts';
import { IssuerKeys } from './issuer-keys.ts';

const encoder = new TextEncoder();
const clock = new ManualClock();
const now = clock.now() / 1_000;
const claims = { iss: 'https://issuer.test', aud: 'https://gateway.test', sub: 'anna', iat: now, exp: now + 600 };

async function openIssuer(settings: Partial<IssuerSettings> = {}, ...signers: SigningKey[]) {
  const key = await makeKey('a');
  let published = signers.length > 0 ? signers : [key];
  const load = async () => ({ keys: published.map(({ publicJwk }) => publicJwk) }) as JSONWebKeySet;
  const keys = new IssuerKeys({ load, onLost: () => {}, clock, log: silentLog });
  const check = (token: string) => checkToken(token, { keys, settings: issuerSettings(settings), clock });
  return {
    key,
    check,
    publish: (...others: SigningKey[]) => {
      published = others;
    },
    refuses: async (token: string, message: RegExp) => {
      // In a list, because a thrown promise would look like its error.
      const [error] = await check(token).then(
        () => [],
        (reason: unknown) => [reason],
      );
      assert.ok(error instanceof GatewayError);
      assert.equal(error.code, 'UNAUTHENTICATED');
      assert.match(error.message, message);
    },
  };
}

test('a token that the issuer signed is good, whatever its type is called and however its key is found', async () => {
  const { key, check } = await openIssuer();
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', undefined]) {
    const found = await check(await key.sign(claims, { typ }));
    assert.equal(found.sub, 'anna');
  }
  const several = await Promise.all(['x', 'y', 'z'].map((id) => makeKey(id)));
  const issuer = await openIssuer({}, ...several);
  assert.equal((await issuer.check(await (several[2] as SigningKey).sign(claims, { kid: undefined }))).sub, 'anna');
  await issuer.refuses(await key.sign(claims, { kid: undefined }), /not signed by the issuer/);
});

test('claims that are wrong or missing are refused, each with its reason', async () => {
  const { key, refuses } = await openIssuer();
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ iss: 'https://issuer.test/' }, /another issuer/],
    [{ iss: 'https://ISSUER.test' }, /another issuer/],
    [{ iss: undefined }, /lacks a claim/],
    [{ aud: undefined }, /lacks a claim/],
    [{ sub: undefined }, /lacks a claim/],
    [{ sub: '' }, /no subject/],
    [{ exp: undefined }, /lacks a claim/],
    [{ exp: 'soon' }, /invalid claim/],
    [{ exp: now - 61 }, /expired/],
    [{ nbf: now + 61 }, /not valid yet/],
    [{ iat: now + 61 }, /in the future/],
    [{ cnf: { jkt: 'x' } }, /bound to a key/],
  ];
  for (const [change, message] of cases) await refuses(await key.sign({ ...claims, ...change }), message);
  for (const typ of ['id+jwt', 'logout+jwt', 'dpop+jwt', 'secevent+jwt'])
    await refuses(await key.sign(claims, { typ }), /not an access token/);
});

test('clocks may be a little off, and no more', async () => {
  const { key, check } = await openIssuer();
  await check(await key.sign({ ...claims, exp: now - 59, iat: now - 600 }));
  await check(await key.sign({ ...claims, nbf: now + 59, iat: now + 59 }));
  const strict = await openIssuer({ clockToleranceSeconds: 0 });
  await strict.refuses(await strict.key.sign({ ...claims, exp: now }), /expired/);
});

test('no token is good that the issuer did not sign with one of its keys', async () => {
  const signer = await makeKey('a', 'RS256');
  const { refuses } = await openIssuer({}, signer);
  const other = await makeKey('a', 'RS256');
  await refuses(await other.sign(claims), /not signed by the issuer/);
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;
  await refuses(none, /not signed by the issuer/);
  // The public key of the issuer, which everybody has, as the secret of an algorithm with a shared one.
  for (const secret of [JSON.stringify(signer.publicJwk), String(signer.publicJwk.n)]) {
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'a' })
      .sign(encoder.encode(secret));
    await refuses(forged, /not signed by the issuer/);
  }
  const good = await signer.sign(claims);
  const [head = '', body = '', signature = ''] = good.split('.');
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'bert' })).toString('base64url');
  for (const token of [
    `${head}.${changed}.${signature}`,
    `${head}.${body}.`,
    '..',
    'a.b.c',
    `${'x'.repeat(8_000)}.a.b`,
  ])
    await refuses(token, /not signed by the issuer/);
});

test('an algorithm that the owner did not allow is refused although the key is right', async () => {
  const signer = await makeKey('a', 'RS256');
  const { refuses } = await openIssuer({ algorithms: ['ES256'] }, signer);
  await refuses(await signer.sign(claims), /not signed by the issuer/);
});

test('a header cannot lead to a key, an address or a file, nor demand what is not understood', async () => {
  const { key, refuses, check } = await openIssuer();
  for (const kid of ['../../a', "a' OR '1'='1", 'https://evil.test/key', '__proto__', ''])
    await refuses(await key.sign(claims, { kid }), /key that its issuer does not have|not signed by the issuer/);
  const stranger = await makeKey('a');
  for (const lure of [
    { jku: 'https://evil.test/keys' },
    { x5u: 'https://evil.test/chain' },
    { jwk: stranger.publicJwk },
  ])
    await refuses(await stranger.sign(claims, lure), /not signed by the issuer/);
  // The same on a valid token: it is ignored.
  assert.ok(await check(await key.sign(claims, { jku: 'https://evil.test/keys' })));
  const critical = await new CompactSign(encoder.encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', kid: 'a', crit: ['moon'], moon: true })
    .sign(key.privateKey, { crit: { moon: true } });
  await refuses(critical, /not signed by the issuer/);
});

test('a key that is new at the issuer is found, once it may be asked again', async () => {
  const { key, check, publish, refuses } = await openIssuer();
  await check(await key.sign(claims));
  const next = await makeKey('b');
  publish(key, next);
  await refuses(await next.sign(claims), /key that its issuer does not have/);
  await clock.advance(limits.issuerAskMs);
  const later = { ...claims, iat: now, exp: now + 6_000 };
  await refuses(await next.sign({ ...later, aud: undefined }), /lacks a claim/);
  assert.equal((await check(await next.sign(later))).sub, 'anna');
});

test('claims that the owner requires must have one of their values', async () => {
  const { key, check, refuses } = await openIssuer({ requiredClaims: { tenant: 'acme', groups: ['staff', 'admins'] } });
  const sign = (more: object) => key.sign({ ...claims, exp: now + 6_000, ...more });
  await check(await sign({ tenant: 'acme', groups: ['others', 'staff'] }));
  await check(await sign({ tenant: ['acme'], groups: 'admins' }));
  for (const more of [{ tenant: 'acme' }, { tenant: 'other', groups: 'staff' }, { tenant: 'acme', groups: [] }])
    await refuses(await sign(more), /lacks a claim/);
});

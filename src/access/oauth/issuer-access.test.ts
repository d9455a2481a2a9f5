/** Tests of who is let in by an issuer: to which doors, for how long, and under which settings. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { issuerSettings } from '../../../test/kit/issuer-settings.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { makeKey, startTokenIssuer } from '../../../test/kit/token-issuer.ts';
import { silentLog } from '../../base/log.ts';
import { type Config, type IssuerSettings, limits } from '../../config/config.ts';
import { everybody } from '../principal.ts';
import { IssuerAccess } from './issuer-access.ts';

const gateway = 'https://gateway.test';

async function open(context: TestContext, more: Partial<IssuerSettings> = {}) {
  const clock = new ManualClock();
  const issuer = await startTokenIssuer(() => clock.now());
  context.after(() => issuer[Symbol.asyncDispose]());
  const usual = { issuer: issuer.url, publicUrl: `${gateway}/`, ...more };
  let config = configWith(usual);
  const access = new IssuerAccess({
    config: () => config,
    address: () => 'http://127.0.0.1:1',
    isOptimizing: () => false,
    clock,
    log: silentLog,
  });
  context.after(() => access.close());
  return {
    clock,
    issuer,
    access,
    change: (settings: Partial<IssuerSettings>, auth = 'oauth') => {
      config = configWith({ ...usual, ...settings }, auth);
    },
  };
}

/** Only what is looked at here. */
function configWith(settings: Partial<IssuerSettings>, auth = 'oauth'): Pick<Config, 'access' | 'oauth'> {
  const access = { auth, privateHosts: [], oauth: issuerSettings(settings) };
  return { access, oauth: { publicUrl: null, clientMetadataUrl: null } } as unknown as Config;
}

const refused = { code: 'UNAUTHENTICATED', message: /for (another|other) audience/ };

test('a token is good at the door that it is made out to, and one for the gateway at every door', async (context) => {
  const { access, issuer } = await open(context);
  const come = async (audience: unknown, door: string) =>
    access.authenticate(await issuer.token('', { aud: audience as string }), door);
  assert.equal((await come(`${gateway}/mcp`, '/mcp')).principal.name, 'guest (subject anna)');
  assert.ok(await come([`${gateway}/projects/shop/mcp`], '/projects/shop/mcp'));
  for (const door of ['/mcp', '/servers/x/mcp', ''])
    for (const aud of [gateway, `${gateway}/`]) assert.ok(await come(aud, door));
  for (const [audience, door] of [
    [`${gateway}/mcp`, '/projects/shop/mcp'],
    [`${gateway}/mcp`, ''],
    [`${gateway}/projects/shop/mcp`, '/mcp'],
    ['https://GATEWAY.test/mcp', '/mcp'],
    ['https://other.test/mcp', '/mcp'],
    [[], '/mcp'],
    [[7, gateway], '/mcp'],
    [[gateway, 'https://other.test'], '/mcp'],
  ] as const)
    await assert.rejects(come(audience, door), refused, JSON.stringify([audience, door]));
});

test('an audience that the owner wrote is the only one, and others may stand beside it where the owner says so', async (context) => {
  const { access, issuer, change } = await open(context, { audience: 'api://tools' });
  const come = async (aud: string | string[]) => access.authenticate(await issuer.token('', { aud }), '/mcp');
  assert.ok(await come('api://tools'));
  await assert.rejects(come(`${gateway}/mcp`), refused);
  await assert.rejects(come(['api://tools', 'account']), refused);
  change({ audience: 'api://tools', otherAudiences: ['account'] });
  assert.ok(await come(['api://tools', 'account']));
  await assert.rejects(come(['api://tools', 'account', 'third']), refused);
  await assert.rejects(come('account'), refused, 'others alone are not enough');
});

test('a token that was checked is known again until it expires, and its keys are renewed meanwhile', async (context) => {
  const { access, issuer, clock } = await open(context);
  const token = await issuer.token(gateway, { exp: clock.now() / 1_000 + 3_600 });
  const first = await access.authenticate(token, '');
  assert.equal(await access.authenticate(token, ''), first);
  assert.deepEqual(issuer.asked, ['/.well-known/oauth-authorization-server', '/keys']);
  await clock.advance(limits.issuerKeysFreshMs + 1);
  await access.authenticate(token, '');
  assert.equal(access.find(first.principal), first);
  await clock.advance(3_661_000);
  await assert.rejects(access.authenticate(token, ''), {
    message: 'The token has expired.',
    data: { isExpired: true },
  });
  assert.equal(access.find(first.principal), undefined);
});

test('bearers of tokens with a withdrawn key are removed', async (context) => {
  const { access, issuer, clock } = await open(context);
  let told = 0;
  access.changed.on(() => {
    told += 1;
  });
  const token = await issuer.token(gateway, { exp: clock.now() / 1_000 + 3_600 });
  const { principal } = await access.authenticate(token, '');
  const next = await makeKey('next');
  issuer.publish(next);
  await clock.advance(limits.issuerAskMs);
  const usual = { iss: issuer.url, aud: gateway, sub: 'bert', exp: clock.now() / 1_000 + 600, scope: 'toolcrib:use' };
  assert.ok(await access.authenticate(await next.sign(usual), ''));
  assert.deepEqual([access.find(principal), told], [undefined, 1]);
  await assert.rejects(access.authenticate(token, ''), { code: 'UNAUTHENTICATED' });
});

test('where the issuer is away from the start, that is not the fault of the token', async (context) => {
  const { access, issuer, clock } = await open(context);
  issuer.answerWith(503);
  const token = await issuer.token(gateway);
  for (let at = 0; at < 10; at += 1) await assert.rejects(access.authenticate(token, ''), { code: 'UNREACHABLE' });
  assert.equal(issuer.asked.length, 1);
  issuer.answerWith(200);
  await clock.advance(limits.issuerAskMs);
  assert.ok(await access.authenticate(token, ''));
});

test('under other settings everybody has to come in again, and under the same ones nobody', async (context) => {
  const { access, issuer, change } = await open(context);
  const token = await issuer.token(gateway);
  const { principal } = await access.authenticate(token, '');
  change({});
  assert.ok(access.find(principal), 'the file was read again, and says the same');
  change({ scopes: { use: 'other', admin: 'b', metrics: 'c', optimize: 'd' } });
  assert.equal(access.find(principal), undefined);
  assert.deepEqual([...(await access.authenticate(token, '')).principal.scopes], []);
  change({}, 'token');
  assert.equal(access.facts(), null);
  await assert.rejects(access.authenticate(token, ''), { code: 'UNAUTHENTICATED' });
});

test("of the gateway's own tokens only the owner's is good, from this machine, unless all are kept", async (context) => {
  const { access, change } = await open(context);
  const named = (id: string) => ({ ...everybody, id });
  const admitted = () =>
    ['owner', 'agent', 'token:1'].map((id) => [true, false].map((is) => access.admitsOwn(named(id), is)));
  assert.deepEqual(admitted(), [
    [true, false],
    [false, false],
    [false, false],
  ]);
  change({ keepTokens: true });
  assert.ok(admitted().flat().every(Boolean));
  change({}, 'token');
  assert.ok(admitted().flat().every(Boolean));
});

test('clients get the public address of the config, or else the one where the gateway listens', async (context) => {
  const { access, issuer, change, clock } = await open(context);
  const scopes = {
    use: 'toolcrib:use',
    admin: 'toolcrib:admin',
    metrics: 'toolcrib:metrics',
    optimize: 'toolcrib:optimize',
  };
  const { optimize: _, ...offered } = scopes;
  const offeredScopes = Object.values(offered);
  assert.deepEqual(access.facts(), { publicUrl: gateway, issuer: issuer.url, scopes, offeredScopes });
  change({ publicUrl: 'https://example.test/tools/' });
  assert.equal(access.facts()?.publicUrl, 'https://example.test/tools');
  change({ publicUrl: null });
  assert.equal(access.facts()?.publicUrl, 'http://127.0.0.1:1');
  const config = configWith({ issuer: issuer.url });
  const early = new IssuerAccess({
    config: () => config,
    address: () => null,
    isOptimizing: () => false,
    clock,
    log: silentLog,
  });
  assert.equal(early.facts(), null, 'there is no address yet');
  await assert.rejects(early.authenticate(await issuer.token('/mcp'), '/mcp'), { code: 'UNAUTHENTICATED' });
});

/** Tests of the settings of an issuer: what is a mistake, and where. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { parseConfig } from './load-config.ts';

const place = { path: undefined, cwd: '/', dataDir: '/data', env: {} };

function load(access: object) {
  const text = JSON.stringify({ access }, null, 1);
  return parseConfig({ file: '/toolcrib.json', bytes: Buffer.from(text), fingerprint: 'x' }, place);
}

function mistakeOf(access: object): string {
  try {
    load(access);
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    return error.message;
  }
  return assert.fail('It was accepted.');
}

test('an issuer and nothing else is enough', () => {
  const { config, warnings } = load({ auth: 'oauth', oauth: { issuer: 'https://issuer.example/realm' } });
  const { oauth } = config.access;
  assert.deepEqual(warnings, []);
  assert.equal(oauth.issuer, 'https://issuer.example/realm');
  assert.deepEqual(oauth.scopes, {
    use: 'toolcrib:use',
    admin: 'toolcrib:admin',
    metrics: 'toolcrib:metrics',
    optimize: 'toolcrib:optimize',
  });
  assert.deepEqual([oauth.keepTokens, oauth.clockToleranceSeconds, oauth.otherAudiences], [false, 60, []]);
});

test('without an issuer nobody can come in that way, and without "oauth" an issuer has no effect', () => {
  assert.match(mistakeOf({ auth: 'oauth' }), /^\/toolcrib\.json:3:\d+: .*"access\.oauth\.issuer"/);
  const { warnings } = load({ oauth: { issuer: 'https://issuer.example' } });
  assert.match(warnings.join(), /"access\.oauth" has no effect while "access\.auth" is "token"/);
});

test('keys come only from places that cannot be listened in on the way', () => {
  for (const issuer of [
    'http://issuer.example',
    'https://i.example/?a=b',
    'https://i.example/#x',
    'https://a:b@i.example',
  ])
    assert.match(mistakeOf({ auth: 'oauth', oauth: { issuer } }), /"access\.oauth\.issuer" must be/, issuer);
  assert.match(
    mistakeOf({ oauth: { jwksUrl: 'http://issuer.example/keys' } }),
    /"access\.oauth\.jwksUrl" must be an https/,
  );
  for (const issuer of [
    'http://127.0.0.1:9000',
    'http://localhost',
    'http://keycloak:8080/realms/a',
    'http://id.internal',
  ])
    load({ auth: 'oauth', oauth: { issuer } });
});

test('algorithms with a shared secret, and none at all, cannot be chosen', () => {
  for (const algorithms of [['HS256'], ['none'], ['RS256', 'HS512'], []])
    assert.match(mistakeOf({ oauth: { algorithms } }), /"access\.oauth\.algorithms/, String(algorithms));
});

test('a scope that could not stand in a header is a mistake', () => {
  for (const use of ['', 'a b', 'a"b', 'a\\b', 'ä'])
    assert.match(mistakeOf({ oauth: { scopes: { use } } }), /"access\.oauth\.scopes\.use" must be the name of a scope/);
});

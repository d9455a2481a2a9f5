/** A server's `oauth` member is read right, also where another agent wrote it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServer } from './build-server.ts';

const url = 'https://far.example/mcp';
const none = { isOff: false, clientId: null, clientSecret: null, scopes: null, issuer: null };

function oauthOf(oauth: unknown, env: NodeJS.ProcessEnv = {}) {
  const { transport } = parseServer('far', { url, oauth }, env, 'store');
  return transport.kind === 'stdio' ? undefined : transport.oauth;
}

test('nothing is said, or all of it', () => {
  assert.equal(oauthOf(undefined), undefined);
  assert.equal(oauthOf(true), undefined);
  assert.deepEqual(oauthOf(false), { ...none, isOff: true });
  const whole = { clientId: 'c', clientSecret: '$' + '{KEY}', scopes: ['a', 'b', 'a'], issuer: 'https://id.example' };
  assert.deepEqual(oauthOf(whole, { KEY: 'secret' }), {
    ...none,
    ...whole,
    clientSecret: 'secret',
    scopes: ['a', 'b'],
  });
});

test('scopes may be written as one text, and members of other agents do no harm', () => {
  assert.deepEqual(oauthOf({ scope: 'a  b', enabled: true, callbackPort: 8080, redirectUri: 'x' })?.scopes, ['a', 'b']);
});

test('mistakes are told', () => {
  for (const [oauth, why] of [
    ['yes', /oauth/],
    [{ clientId: 7 }, /clientId/],
    [{ clientId: '' }, /a client id/],
    [{ clientSecret: 's' }, /of no use without "clientId"/],
    [{ clientId: 'c', issuer: 'id.example' }, /issuer/],
    [{ scopes: [7] }, /scopes/],
  ] as const) {
    assert.throws(() => oauthOf(oauth), why, JSON.stringify(oauth));
  }
});

test('a secret that is not in the environment is the problem of the server, not of the file', () => {
  const { problem } = parseServer('far', { url, oauth: { clientId: 'c', clientSecret: '$' + '{KEY}' } }, {}, 'store');
  assert.match(problem ?? '', /KEY/);
});

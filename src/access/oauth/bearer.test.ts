/** Tests of what the claims of a token let somebody do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issuerSettings } from '../../../test/kit/issuer-settings.ts';
import { bearerOf, limitsIn } from './bearer.ts';
import type { GoodClaims } from './check-token.ts';

/** The audit's limit. */
const mostNameCharacters = 256;
const claims: GoodClaims = { sub: 'anna', exp: 1_000, aud: 'https://gateway.test/mcp', scope: 'toolcrib:use' };

test('somebody is known by issuer and subject together, however odd the subject is', () => {
  const idOf = (sub: string, issuer = 'https://a.test') =>
    bearerOf({ ...claims, sub }, issuerSettings({ issuer })).principal.id;
  const ids = ['anna', 'anna ', 'a/b', '#x', `${'x'.repeat(200)}1`, `${'x'.repeat(200)}2`, '\ud800', 'ünï'].map((sub) =>
    idOf(sub),
  );
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^oauth:[\w-]{22}:[\x21-\x7e]+$/);
  assert.notEqual(idOf('anna', 'https://b.test'), idOf('anna'));
});

test('two programs of one person are two principals, where the token says which it is for', () => {
  const idOf = (more: object) => bearerOf({ ...claims, ...more }, issuerSettings()).principal.id;
  const odd = ['editor', 'agent', 'a:b', `${'x'.repeat(200)}1`, `${'x'.repeat(200)}2`, 'ü'.repeat(90), '\ud800', '(x)'];
  const ids = [{}, ...odd.map((client_id) => ({ client_id })), { sub: 'anna:editor' }].map(idOf);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.ok(id.length < mostNameCharacters && /^oauth:[\x21-\x7e]+$/.test(id), id);
  assert.match(idOf({ client_id: 'editor' }), /^oauth:[\w-]{22}:anna:editor$/);
  assert.equal(idOf({ azp: 'editor' }), idOf({ client_id: 'editor' }));
  assert.equal(idOf({ azp: 'other', client_id: 'editor' }), idOf({ client_id: 'editor' }));
  for (const client_id of ['', 7, null]) assert.equal(idOf({ client_id }), idOf({}));
});

test('the name is for people, and says beside what they chose who they are and with which program', () => {
  const nameOf = (more: object) => bearerOf({ ...claims, ...more }, issuerSettings()).principal.name;
  assert.equal(nameOf({}), 'guest (subject anna)');
  assert.equal(nameOf({ client_id: 'editor' }), 'guest (subject anna, client editor)');
  assert.equal(
    nameOf({ preferred_username: 'Anna A.', client_id: 'https://editor.test/x' }),
    'Anna A. (subject anna, client https://editor.test/x)',
  );
  assert.equal(nameOf({ preferred_username: 'a\u001b[31m\nb' }), 'a31m b (subject anna)');
  assert.equal(nameOf({ preferred_username: 'bert (subject bert)' }), 'bert subject bert (subject anna)');
  assert.equal(nameOf({ preferred_username: 'bert （ok）' }), 'bert ok (subject anna)');
});

test('nobody is shown by a name of the gateway itself, nor hides or copies what the issuer knows them by', () => {
  const nameOf = (more: object) => bearerOf({ ...claims, ...more }, issuerSettings()).principal.name;
  for (const preferred_username of [
    'owner',
    'agent',
    'everybody',
    ' owner\u200b',
    'Owner',
    'gateway',
    'оwner',
    '(owner)',
  ])
    assert.equal(nameOf({ preferred_username }), 'guest (subject anna)');
  assert.equal(nameOf({ sub: 'owner' }), 'guest (subject owner)');
  assert.equal(nameOf({ sub: 'bert, client editor) (x' }), 'guest (subject bert%2C%20client%20editor%29%20%28x)');
  assert.equal(nameOf({ sub: 'аnna' }), 'guest (subject %D0%B0nna)');
  const long = nameOf({ preferred_username: 'n '.repeat(400), sub: 's'.repeat(96), client_id: 'c'.repeat(96) });
  assert.match(long, /^[n ]{1,31}… \(subject s{96}, client c{96}\)$/);
  assert.ok(long.length <= mostNameCharacters);
  assert.match(nameOf({ sub: 's'.repeat(97) }), /^guest \(subject #[\w-]{22}\)$/);
});

test('scopes are taken from "scope" and "scp", by the names that the owner gave them, and nothing else counts', () => {
  const scopesOf = (more: object, settings = issuerSettings()) => [
    ...bearerOf({ ...claims, scope: undefined, ...more }, settings).principal.scopes,
  ];
  assert.deepEqual(scopesOf({}), []);
  assert.deepEqual(scopesOf({ scope: 'openid toolcrib:use use admin' }), ['use']);
  assert.deepEqual(scopesOf({ scope: ['toolcrib:use'], scp: ['toolcrib:admin', 7] }), ['use', 'admin', 'optimize']);
  assert.deepEqual(scopesOf({ scp: 'toolcrib:metrics' }), ['metrics']);
  const own = issuerSettings({
    scopes: { use: 'Tools.Use', admin: 'Tools.Admin', metrics: 'Tools.Read', optimize: 'Tools.Improve' },
  });
  assert.deepEqual(scopesOf({ scp: 'Tools.Use toolcrib:admin' }, own), ['use']);
});

test('claims limit servers and project where the owner says so, and then must be there', () => {
  const settings = issuerSettings({ claims: { servers: 'mcp_servers', project: 'team' } });
  const bearer = (more: object) => bearerOf({ ...claims, ...more }, settings);
  const { principal, project } = bearer({ mcp_servers: ['notes', 'git*'], team: 'shop' });
  assert.deepEqual([principal.servers, project], [['notes', 'git*'], 'shop']);
  assert.deepEqual(bearer({ mcp_servers: 'notes time', team: 'UNASSIGNED' }).principal.servers, ['notes', 'time']);
  assert.deepEqual(bearer({ mcp_servers: [], team: 'shop' }).principal.servers, []);
  assert.equal(bearer({ mcp_servers: '*', team: 'UNASSIGNED' }).project, null);
  for (const wrong of [
    {},
    { mcp_servers: ['notes'] },
    { team: 'shop' },
    { mcp_servers: ['notes', 1], team: 'shop' },
    { mcp_servers: { notes: true }, team: 'shop' },
    { mcp_servers: 'notes', team: '' },
    { mcp_servers: 'notes', team: ['shop'] },
  ])
    assert.throws(() => bearer(wrong), { code: 'UNAUTHENTICATED' }, JSON.stringify(wrong));
  assert.throws(() => bearerOf(claims, issuerSettings({ claims: { servers: 'toString', project: null } })), {
    code: 'UNAUTHENTICATED',
  });
});

test('the mark changes with every right, and its first part with everything but scopes', () => {
  const settings = issuerSettings({ claims: { servers: 'servers', project: null } });
  const markOf = (more: object) => bearerOf({ ...claims, servers: 'a', ...more }, settings).principal.mark;
  const usual = markOf({});
  assert.equal(markOf({ exp: 2_000, jti: 'x' }), usual);
  const wider = markOf({ scope: 'toolcrib:use toolcrib:admin' });
  assert.notEqual(wider, usual);
  assert.equal(limitsIn(wider), limitsIn(usual));
  for (const other of [{ servers: 'b' }, { aud: 'https://gateway.test/projects/x/mcp' }])
    assert.notEqual(limitsIn(markOf(other)), limitsIn(usual));
});

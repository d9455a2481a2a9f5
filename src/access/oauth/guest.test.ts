/** Tests of what the claims of a token let somebody do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issuerSettings } from '../../../test/kit/issuer-settings.ts';
import type { GoodClaims } from './check-token.ts';
import { guestOf, limitsIn } from './guest.ts';

const claims: GoodClaims = { sub: 'anna', exp: 1_000, aud: 'https://gateway.test/mcp', scope: 'toolcrib:use' };

test('somebody is known by issuer and subject together, however odd the subject is', () => {
  const idOf = (sub: string, issuer = 'https://a.test') =>
    guestOf({ ...claims, sub }, issuerSettings({ issuer })).principal.id;
  const ids = ['anna', 'anna ', 'a/b', '#x', `${'x'.repeat(200)}1`, `${'x'.repeat(200)}2`, '\ud800', 'ünï'].map((sub) =>
    idOf(sub),
  );
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^oauth:[\w-]{22}:[\x21-\x7e]+$/);
  assert.notEqual(idOf('anna', 'https://b.test'), idOf('anna'));
});

test('the name is for people, and cannot be that of somebody who is no guest', () => {
  const nameOf = (more: object) => guestOf({ ...claims, ...more }, issuerSettings()).principal.name;
  assert.equal(nameOf({}), 'anna');
  assert.equal(nameOf({ client_id: 'editor' }), 'editor');
  assert.equal(nameOf({ preferred_username: 'Anna A.', client_id: 'editor' }), 'Anna A.');
  assert.equal(nameOf({ preferred_username: 'a\u001b[31m\nb' }), 'a[31m b');
  for (const name of ['owner', 'agent', 'everybody', ' owner\u200b'])
    assert.match(nameOf({ preferred_username: name }), /^oauth:/);
});

test('scopes are taken from "scope" and "scp", by the names that the owner gave them, and nothing else counts', () => {
  const scopesOf = (more: object, settings = issuerSettings()) => [
    ...guestOf({ ...claims, scope: undefined, ...more }, settings).principal.scopes,
  ];
  assert.deepEqual(scopesOf({}), []);
  assert.deepEqual(scopesOf({ scope: 'openid toolcrib:use use admin' }), ['use']);
  assert.deepEqual(scopesOf({ scope: ['toolcrib:use'], scp: ['toolcrib:admin', 7] }), ['use', 'admin']);
  assert.deepEqual(scopesOf({ scp: 'toolcrib:metrics' }), ['metrics']);
  const own = issuerSettings({ scopes: { use: 'Tools.Use', admin: 'Tools.Admin', metrics: 'Tools.Read' } });
  assert.deepEqual(scopesOf({ scp: 'Tools.Use toolcrib:admin' }, own), ['use']);
});

test('claims limit servers and project where the owner says so, and then must be there', () => {
  const settings = issuerSettings({ claims: { servers: 'mcp_servers', project: 'team' } });
  const guest = (more: object) => guestOf({ ...claims, ...more }, settings);
  const { principal, project } = guest({ mcp_servers: ['notes', 'git*'], team: 'shop' });
  assert.deepEqual([principal.servers, project], [['notes', 'git*'], 'shop']);
  assert.deepEqual(guest({ mcp_servers: 'notes time', team: 'UNASSIGNED' }).principal.servers, ['notes', 'time']);
  assert.deepEqual(guest({ mcp_servers: [], team: 'shop' }).principal.servers, []);
  assert.equal(guest({ mcp_servers: '*', team: 'UNASSIGNED' }).project, null);
  for (const wrong of [
    {},
    { mcp_servers: ['notes'] },
    { team: 'shop' },
    { mcp_servers: ['notes', 1], team: 'shop' },
    { mcp_servers: { notes: true }, team: 'shop' },
    { mcp_servers: 'notes', team: '' },
    { mcp_servers: 'notes', team: ['shop'] },
  ])
    assert.throws(() => guest(wrong), { code: 'UNAUTHENTICATED' }, JSON.stringify(wrong));
  assert.throws(() => guestOf(claims, issuerSettings({ claims: { servers: 'toString', project: null } })), {
    code: 'UNAUTHENTICATED',
  });
});

test('the mark changes with every right, and its first part with everything but scopes', () => {
  const settings = issuerSettings({ claims: { servers: 'servers', project: null } });
  const markOf = (more: object) => guestOf({ ...claims, servers: 'a', ...more }, settings).principal.mark;
  const usual = markOf({});
  assert.equal(markOf({ exp: 2_000, jti: 'x' }), usual);
  const wider = markOf({ scope: 'toolcrib:use toolcrib:admin' });
  assert.notEqual(wider, usual);
  assert.equal(limitsIn(wider), limitsIn(usual));
  for (const other of [{ servers: 'b' }, { aud: 'https://gateway.test/projects/x/mcp' }])
    assert.notEqual(limitsIn(markOf(other)), limitsIn(usual));
});

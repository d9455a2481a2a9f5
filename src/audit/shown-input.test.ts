/** Of orders the audit shows what they were about and what was granted, and of all else only that it was given. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownSecrets } from '../base/redact.ts';
import { refuseAsName } from '../base/refuse-as-name.ts';
import { shownMistake, shownOrder } from './shown-input.ts';

const plain = (input: unknown) => JSON.parse(JSON.stringify(shownOrder({ input }).input));
const mistaken = (input: unknown, server?: string) => JSON.parse(JSON.stringify(shownMistake({ input, server })));

test('names, choices and switches are shown', () => {
  const input = {
    name: 'ci',
    scopes: ['use', 'metrics'],
    servers: ['files', 'git-*'],
    project: 'work',
    expiresInMs: 60_000,
    force: true,
    permissions: { 'vault:get_token': 'deny', '*': null, x: 'SECRET-1' },
    surface: null,
  };
  assert.deepEqual(plain(input), { ...input, permissions: { ...input.permissions, x: '…' } });
});

test('of addresses only the host is shown, and of everything else that it was given', () => {
  const key = '77aa88bb99cc00dd11ee22ff33445566';
  const input = {
    name: 'one',
    url: `https://ada:opensesame@mcp.example.com:8443/s/${key}/mcp?x=${key}`,
    address: `code=SplxlOBeZQQYbYS6WxSbIA&state=${key}`,
    serverUrl: 'no address',
    command: `run-${key}`,
    args: [key],
    env: { PLAIN: key },
    pin: 123_456,
    description: key,
  };
  assert.deepEqual(plain(input), {
    name: 'one',
    url: 'https://mcp.example.com:8443/…',
    address: '…',
    serverUrl: '…',
    command: '…',
    args: '[…]',
    env: ['PLAIN'],
    pin: '…',
    description: '…',
  });
});

test('a secret in the place of a name is masked by its shape, and a name that reads like a known secret is not', () => {
  knownSecrets.set('test', ['github-delete-9']);
  try {
    assert.deepEqual(plain({ name: 'github-delete-9', tool: 'Bearer abcdefgh12345678' }), {
      name: 'github-delete-9',
      tool: '***',
    });
    assert.deepEqual(plain({ env: { 'github-delete-9': 1 } }), { env: ['***'] });
  } finally {
    knownSecrets.forget('test');
  }
});

test('a known secret in place of a name is masked, unless it is a plain word', () => {
  const secret = 'f00dcafe77aa88bb99';
  knownSecrets.set('test', [secret, 'postgres']);
  knownSecrets.setIssued('far', ['k9-issued-to-hide-77aa88bb']);
  try {
    const shown = plain({ name: secret, server: 'postgres', tool: 'k9-issued-to-hide-77aa88bb' });
    assert.deepEqual(shown, { name: '***', server: 'postgres', tool: 'k9-issued-to-hide-77aa88bb' });
    assert.equal(shownOrder({ input: {}, server: secret }).server, '***');
    assert.deepEqual(mistaken({ tool: 'k9-issued-to-hide-77aa88bb' }), { input: { tool: '***' } });
  } finally {
    knownSecrets.forget('test');
    knownSecrets.forget('far');
  }
});

test('names made of plain words are shown, even if they begin like a secret or some variable holds them', () => {
  knownSecrets.set('test', ['k8s-prod-eu1', 'gpt-4o-mini']);
  try {
    for (const name of [
      'glean-enterprise-search',
      'npm-registry-package-search',
      'sk-learn-experiment-tracker',
      'k8s-prod-eu1',
      'gpt-4o-mini-tools',
      'secret-manager:getSecret',
    ]) {
      assert.deepEqual(plain({ name }), { name });
      assert.equal(shownOrder({ input: {}, server: name }).server, name);
      refuseAsName('server', name);
    }
  } finally {
    knownSecrets.forget('test');
  }
  for (const name of ['sk-live-4f1d0c9b8a7e6d5c4b3a', 'AKIAABCDEFGHIJKLMNOP', 'npm_abcdefghijklmnopqrstuvwxyz'])
    assert.throws(() => refuseAsName('server', name), { code: 'USAGE' }, name);
});

test('a mistaken order leaves out every text without the form of a name', () => {
  const odd = [
    'hunter2!x',
    'a b=c',
    '9f8a7c6e5d4b3a2910ffeeddccbbaa99',
    'Xk29fjQ83mPz7LwRt5',
    '-----BEGIN',
    'x'.repeat(300),
  ];
  for (const name of odd) assert.deepEqual(mistaken({ name }), { input: { name: '…' } }, name);
  for (const name of ['github', 'git-*', 'My Server', 'v2.getUsers', 'ops@example', 'list_v2_users3', 'bücher'])
    assert.deepEqual(mistaken({ name }), { input: { name } }, name);
  assert.deepEqual(mistaken({ name: 'githab' }, 'githab'), { input: { name: 'githab' }, server: 'githab' });
  assert.deepEqual(mistaken({ name: 'Pass.Word' }, 'Pass.Word'), { input: { name: '…' } });
  assert.deepEqual(mistaken({ 'p@ss!': true }), { input: { '…': true } });
});

test('nothing grows beyond its limit', () => {
  const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${at}${'k'.repeat(9_000)}`, ['x']]));
  assert.ok(JSON.stringify(plain({ ...input, names: Array(5_000).fill('n'.repeat(9_000)) })).length < 25_000);
  assert.deepEqual(plain('text'), {});
});

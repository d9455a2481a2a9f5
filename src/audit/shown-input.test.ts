/** Of orders the audit shows what they were about and what was granted, and of all else only that it was given. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownSecrets } from '../base/redact.ts';
import { shownInput } from './shown-input.ts';

const plain = (value: unknown) => JSON.parse(JSON.stringify(shownInput(value)));

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

test('nothing grows beyond its limit', () => {
  const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${at}${'k'.repeat(9_000)}`, ['x']]));
  assert.ok(JSON.stringify(shownInput({ ...input, names: Array(5_000).fill('n'.repeat(9_000)) })).length < 25_000);
  assert.deepEqual(plain('text'), {});
});

/** Secrets are masked by name, by shape and where they are known; the rest of a text stays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretKey, redact, redactText } from './redact.ts';

test('values known to be secret are masked wherever they stand, unless they are too short to tell', () => {
  assert.equal(redactText('a hunter2-x b hunter2-x', ['hunter2-x']), 'a *** b ***');
  assert.equal(redactText('port 8080 is open', ['8080']), 'port 8080 is open');
});

test('secrets are known by their shape', () => {
  for (const secret of [
    'Bearer abcdefgh12345678',
    'Basic dXNlcjpwYXNzd29yZA==',
    'tc_0123456789abcdefABCDEF',
    'sk-0123456789abcdef0123',
    'ghp_0123456789abcdef0123456789',
    'github_pat_0123456789abcdef0123',
    'xoxb-0123456789-abc',
    'AKIA0123456789ABCDEF',
    'eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl',
  ]) {
    const text = redactText(`before ${secret} after`);
    assert.ok(!text.includes(secret.slice(-8)), `${secret}: ${text}`);
    assert.match(text, /^before .*after$/);
  }
});

test('user information in addresses and assignments to telling names are masked', () => {
  assert.equal(redactText('see https://ada:pass@example.com/x'), 'see https://***@example.com/x');
  assert.equal(redactText('API_KEY=abcd1234 next'), 'API_KEY=*** next');
  assert.equal(redactText('password: "opensesame"'), 'password: "***"');
  assert.equal(redactText('tokens used: 12'), 'tokens used: 12');
});

test('an object keeps its shape and loses its secrets', () => {
  const value = redact({
    authorization: 'Bearer abcdefgh12345678',
    nested: { apiKey: 'x', list: ['sk-0123456789abcdef0123'], count: 3, none: null },
    error: new Error('failed with Bearer abcdefgh12345678'),
    password: null,
  });
  assert.deepEqual(JSON.parse(JSON.stringify(value)), {
    authorization: '***',
    nested: { apiKey: '***', list: ['***'], count: 3, none: null },
    error: { name: 'Error', message: 'failed with ***' },
    password: null,
  });
});

test('depth and width are bounded, and odd keys do no harm', () => {
  const deep = Array.from({ length: 20 }).reduce<unknown>((inner) => ({ inner }), 'end');
  assert.ok(!JSON.stringify(redact(deep)).includes('end'));
  assert.equal((redact(Array.from({ length: 1_000 }, () => 1)) as unknown[]).length, 50);
  redact(JSON.parse('{"__proto__":{"polluted":1}}'));
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

test('long hostile texts take no time', () => {
  const startedAt = performance.now();
  for (const text of ['a'.repeat(200_000), 'token='.repeat(30_000), 'http://'.repeat(30_000), 'Bearer '.repeat(30_000)])
    redactText(text);
  assert.ok(performance.now() - startedAt < 1_500);
});

test('names of secrets are recognised in every spelling', () => {
  for (const key of ['Authorization', 'x-api-key', 'API_KEY', 'accessKey', 'client_secret', 'sessionId', 'Set-Cookie'])
    assert.ok(isSecretKey(key), key);
  for (const key of ['name', 'author', 'keyboard', 'path']) assert.ok(!isSecretKey(key), key);
});

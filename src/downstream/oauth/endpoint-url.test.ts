/** Which addresses a sign-in may go to, or show to a browser. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConfidential, readEndpoint } from './endpoint-url.ts';

test('https anywhere, and http on this machine', () => {
  for (const good of [
    'https://id.example/authorize?tenant=1',
    'https://10.0.0.1/authorize',
    'http://localhost:8080/a',
    'http://127.0.0.1:1/a',
    'http://[::1]:1/a',
  ]) {
    assert.equal(readEndpoint(good)?.href, good);
  }
});

test('nothing else, however it is dressed', () => {
  for (const bad of [
    undefined,
    null,
    7,
    '',
    'id.example',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'ms-settings:x',
    'http://id.example/authorize',
    'http://a$(touch P)',
    'https://a$(touch)/',
    'http://x/";calc',
    'https://user:word@id.example/',
    'https://id.example/#part',
    'https://id.example/ x',
    'https://id.example/\u0000',
    'http://169.254.169.254/',
    `https://id.example/${'a'.repeat(5_000)}`,
  ]) {
    assert.equal(readEndpoint(bad), undefined, String(bad));
  }
});

test('a token travels by https, on this machine, or where the owner says that nobody is on the way', () => {
  const isSafe = (url: string, ...hosts: string[]) => isConfidential(new URL(url), hosts);
  for (const url of [
    'https://mcp.example/x',
    'http://127.0.0.1:3/x',
    'http://[::1]/x',
    'http://localhost/x',
    'http://a.localhost/',
  ])
    assert.equal(isSafe(url), true, url);
  for (const url of ['http://mcp.example/x', 'http://10.0.0.1/x', 'http://nas.local/x', 'http://localhost.example/'])
    assert.equal(isSafe(url), false, url);
  assert.equal(isSafe('http://mcp.example/x', 'mcp.example'), true);
  assert.equal(isSafe('http://mcp.example:8080/x', 'mcp.example:80'), false);
  assert.equal(isSafe('http://10.1.2.3/x', '10.0.0.0/8'), true);
});

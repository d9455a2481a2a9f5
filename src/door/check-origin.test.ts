/** Hosts as people write them and as headers name them. */

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { isLoopback, normalHost, originFault } from './check-origin.ts';

test('a host has one normal form', () => {
  const forms = {
    ' LocalHost ': 'localhost',
    '127.0.0.2': '127.0.0.2',
    '::1': '[::1]',
    '[::1]': '[::1]',
    '0:0:0:0:0:0:0:1': '[::1]',
    '::': '[::]',
    'FE80::A': '[fe80::a]',
    '': '',
  };
  for (const [written, normal] of Object.entries(forms)) assert.equal(normalHost(written), normal);
});

test('every address of this machine itself is loopback, and nothing that looks like one', () => {
  for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]']) assert.ok(isLoopback(host));
  for (const host of [
    '',
    '::',
    '0.0.0.0',
    '127.0.0.1.evil.example',
    '128.0.0.1',
    'localhost.evil.example',
    '127.999.0.1',
    '127.1',
  ])
    assert.ok(!isLoopback(host), host);
});

test('a Host header may name any loopback address and what is allowed', () => {
  const faultOf = (host: string) =>
    originFault({ headers: { host }, rawHeaders: ['Host', host] } as unknown as IncomingMessage, new Set(['[::]']));
  for (const host of ['127.0.0.2:80', '[::]:80', '[::1]', 'localhost']) assert.equal(faultOf(host), undefined, host);
  for (const host of ['0.0.0.0', 'evil.example', '[::2]', '127.999.0.1']) assert.ok(faultOf(host), host);
  assert.equal(faultOf('localhost:65535'), undefined);
  for (const port of ['0', '65536', '99999']) assert.ok(faultOf(`localhost:${port}`), port);
});

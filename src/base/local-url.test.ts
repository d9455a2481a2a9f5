/** Tests of the addresses under which a gateway can be reached. */

import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { test } from 'node:test';
import { isEveryAddress, localUrlOf, outsideUrlOf } from './local-url.ts';

const interfaceWith = (address: string, internal = false) => [{ address, internal } as NetworkInterfaceInfo];
const lo = interfaceWith('127.0.0.1', true);

test('an address that stands for all becomes one of this machine, any other stays', () => {
  assert.equal(localUrlOf('http://0.0.0.0:3333'), 'http://127.0.0.1:3333');
  assert.equal(localUrlOf('http://[::]:3333'), 'http://127.0.0.1:3333');
  assert.equal(localUrlOf('http://192.0.2.7:3333'), 'http://192.0.2.7:3333');
});

test('an address that stands for all is known, with and without a port', () => {
  for (const url of ['http://0.0.0.0:3333', 'http://[::]:3333', 'https://0.0.0.0/path', 'http://[0:0::0]/'])
    assert.equal(isEveryAddress(url), true, url);
  for (const url of ['http://127.0.0.1:3333', 'http://[::1]:3333', 'http://0.0.0.0.example:3333'])
    assert.equal(isEveryAddress(url), false, url);
});

test('other machines get the first outside address, where all are listened on', () => {
  const both = { lo, a: interfaceWith('fe80::1'), b: interfaceWith('2001:db8::7'), c: interfaceWith('192.0.2.7') };
  assert.equal(outsideUrlOf('http://0.0.0.0:3333', both), 'http://192.0.2.7:3333');
  assert.equal(outsideUrlOf('http://[::]:3333', both), 'http://192.0.2.7:3333');
  const modern = { lo, b: interfaceWith('2001:db8::7') };
  assert.equal(outsideUrlOf('http://[::]:3333', modern), 'http://[2001:db8::7]:3333');
  assert.equal(outsideUrlOf('http://0.0.0.0:3333', modern), null);
  assert.equal(outsideUrlOf('http://0.0.0.0:3333', { lo, d: interfaceWith('169.254.3.4') }), null);
  assert.equal(outsideUrlOf('http://127.0.0.1:3333', both), null);
});

/** Tests of where requests come from: only what a trusted front end says is believed. */

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { countedAddress, FrontEnds, isBridge, isFromHere } from './sender.ts';

function request(remoteAddress: string, headers: IncomingMessage['headers'] = {}): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

const forwarded = { 'x-forwarded-for': '198.51.100.7, 203.0.113.5', 'x-forwarded-proto': 'http, https' };

test('the last hop of a trusted front end counts, and nobody else is believed', () => {
  const frontEnds = new FrontEnds(() => ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', 'nonsense', '10.0.0.0/99']);
  const from = (address: string, headers: IncomingMessage['headers'] = forwarded) =>
    frontEnds.senderOf(request(address, headers));
  const believed = { address: '203.0.113.5', isTrusted: true, isHttps: true };
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.1', '2001:db8::1'])
    assert.deepEqual(from(address), believed, address);
  for (const address of ['11.0.0.1', '192.0.2.2', '127.0.0.1', '::1', '2001:db9::1'])
    assert.deepEqual(from(address), { address, isTrusted: false, isHttps: false });
  assert.deepEqual(from('10.0.0.1', { 'x-forwarded-for': 'owner' }).address, '10.0.0.1', 'no address at all');
  assert.deepEqual(from('10.0.0.1', {}), { address: '10.0.0.1', isTrusted: true, isHttps: false });
});

test('without front ends nobody is trusted, and a changed config is heeded', () => {
  let named: readonly string[] = [];
  const frontEnds = new FrontEnds(() => named);
  assert.equal(frontEnds.senderOf(request('127.0.0.1', forwarded)).isTrusted, false);
  named = ['127.0.0.1'];
  assert.equal(frontEnds.senderOf(request('127.0.0.1', forwarded)).isTrusted, true);
  named = ['127.0.0.2'];
  assert.equal(frontEnds.senderOf(request('127.0.0.1', forwarded)).isTrusted, false);
});

test('an IPv6 network is counted as one sender, an IPv4 address as itself', () => {
  assert.equal(countedAddress('192.0.2.1'), '192.0.2.1');
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff:0:0:9', '2001:DB8:1:2:3:4:5:6'])
    assert.equal(countedAddress(address), '2001:db8:1:2', address);
  assert.equal(countedAddress('::1'), '0:0:0:0');
  assert.equal(countedAddress('2001:db8::'), '2001:db8:0:0');
});

test('who comes by loopback or from the very address that was dialled is on this machine, who comes by a front end is where it says', () => {
  const comes = (remoteAddress: string, localAddress: string, named: readonly string[] = [], forwarded?: string) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    const sent = { socket: { remoteAddress, localAddress }, headers } as unknown as IncomingMessage;
    return isFromHere(sent, new FrontEnds(() => named).senderOf(sent));
  };
  assert.ok(comes('127.0.0.1', '127.0.0.1'));
  assert.ok(comes('::1', '::1'));
  assert.ok(comes('192.0.2.9', '192.0.2.9'));
  assert.ok(comes('::ffff:192.0.2.9', '192.0.2.9'));
  assert.ok(!comes('192.0.2.8', '192.0.2.9'));
  assert.ok(comes('192.0.2.8', '192.0.2.9', ['192.0.2.8'], '127.0.0.1'));
  assert.ok(!comes('127.0.0.1', '127.0.0.1', ['127.0.0.1'], '203.0.113.5'));
  assert.ok(!comes('192.0.2.8', '192.0.2.8', ['192.0.2.8'], '203.0.113.5'));
});

test('a bridge says that it is one, on this machine', () => {
  const says = { 'x-toolcrib-bridge': 'stdio' };
  assert.ok(isBridge(request('127.0.0.1', says)));
  assert.ok(isBridge(request('::ffff:127.0.0.1', says)));
  assert.ok(isBridge(request('::1', says)));
  assert.ok(!isBridge(request('192.0.2.1', says)));
  assert.ok(!isBridge(request('127.0.0.1')));
});

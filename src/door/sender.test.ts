/** Tests of where requests come from: Host and Origin, and the addresses that front ends name. */

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { countedAddress, FrontEnds, isFromHere, isLoopback, normalHost, originFault } from './sender.ts';

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

test('a Host header may name any loopback address, the one that it came in by, and what is allowed', () => {
  let localAddress = '::ffff:192.0.2.7';
  const faultOf = (host: string) =>
    originFault(
      { headers: { host }, rawHeaders: ['Host', host], socket: { localAddress } } as unknown as IncomingMessage,
      new Set(['[::]']),
    );
  for (const host of ['127.0.0.2:80', '[::]:80', '[::1]', 'localhost']) assert.equal(faultOf(host), undefined, host);
  for (const host of ['0.0.0.0', 'evil.example', '[::2]', '127.999.0.1']) assert.ok(faultOf(host), host);
  assert.equal(faultOf('localhost:65535'), undefined);
  for (const port of ['0', '65536', '99999']) assert.ok(faultOf(`localhost:${port}`), port);
  assert.equal(faultOf('192.0.2.7:3333'), undefined);
  assert.ok(faultOf('192.0.2.8:3333'));
  localAddress = '2001:db8::7';
  assert.equal(faultOf('[2001:db8::7]:3333'), undefined);
});

function request(remoteAddress: string, headers: IncomingMessage['headers'] = {}): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

const forwarded = { 'x-forwarded-for': '198.51.100.7, 203.0.113.5', 'x-forwarded-proto': 'http, https' };

test('the last hop of a trusted front end counts, and nobody else is believed', () => {
  const frontEnds = new FrontEnds(() => ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', 'nonsense', '10.0.0.0/99']);
  const from = (address: string, headers: IncomingMessage['headers'] = forwarded) =>
    frontEnds.senderOf(request(address, headers));
  const believed = { address: '203.0.113.5', isKnown: true, isTrusted: true, isBridge: false };
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.1', '2001:db8::1'])
    assert.deepEqual(from(address), believed, address);
  for (const address of ['11.0.0.1', '192.0.2.2', '127.0.0.1', '::1', '2001:db9::1'])
    assert.deepEqual(from(address), { address, isKnown: true, isTrusted: false, isBridge: false });
  const unknown = { address: '10.0.0.1', isKnown: false, isTrusted: true, isBridge: false };
  assert.deepEqual(from('10.0.0.1', {}), unknown);
  for (const named of ['owner', 'unknown', '', '203.0.113.5, ', '203.0.113.5:x', '[203.0.113.5]:80', '[]', '1.2.3:80'])
    assert.deepEqual(from('10.0.0.1', { 'x-forwarded-for': named }), unknown, `"${named}" is no address`);
});

test('a front end may name the port of the sender too', () => {
  const frontEnds = new FrontEnds(() => ['10.0.0.1']);
  const forms = {
    '203.0.113.9:4711': '203.0.113.9',
    '192.0.2.1, 203.0.113.9:4711': '203.0.113.9',
    '[2001:db8::1]:4711': '2001:db8::1',
    '[2001:db8::1]': '2001:db8::1',
    '2001:db8::1': '2001:db8::1',
    '[::ffff:203.0.113.9]:80': '203.0.113.9',
  };
  for (const [named, address] of Object.entries(forms)) {
    const sender = frontEnds.senderOf(request('10.0.0.1', { 'x-forwarded-for': named }));
    assert.deepEqual([sender.address, sender.isKnown], [address, true], named);
  }
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

test('a peer on loopback or from the dialled address is on this machine; one behind a front end is where that says', () => {
  const comes = (remoteAddress: string, localAddress: string, named: readonly string[] = [], forwarded?: string) => {
    const headers = { host: '127.0.0.1:80', ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }) };
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

test('a forwarded request is from this machine only if a trusted front end says so', () => {
  const comes = (headers: IncomingMessage['headers'], named: readonly string[]) => {
    const socket = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' };
    const sent = { socket, headers: { host: 'localhost:80', ...headers } } as unknown as IncomingMessage;
    return isFromHere(sent, new FrontEnds(() => named).senderOf(sent));
  };
  for (const named of [[], ['127.0.0.1']]) {
    for (const host of ['localhost', '127.0.0.1:80', '[::1]:80', '0.0.0.0:80']) assert.ok(comes({ host }, named), host);
    assert.ok(!comes({ host: 'tools.example.com' }, named), 'called by another name');
    for (const header of ['x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'])
      assert.ok(!comes({ [header]: 'for=127.0.0.1' }, named), header);
    assert.ok(!comes({ 'x-forwarded-for': 'unknown' }, named));
    assert.ok(!comes({ 'x-toolcrib-passed-on': '1' }, named), 'another replica left out such headers');
    assert.ok(!comes({ 'x-forwarded-for': '203.0.113.9:4711' }, named));
  }
  assert.ok(!comes({ 'x-forwarded-for': '127.0.0.1' }, []), 'anybody can write this');
  for (const address of ['127.0.0.1', '127.0.0.1:4711', '[::1]:4711'])
    assert.ok(comes({ 'x-forwarded-for': address, host: 'tools.example.com' }, ['127.0.0.1']), address);
  const near = { 'x-toolcrib-passed-on': '1', 'x-forwarded-for': '127.0.0.1' };
  assert.ok(!comes(near, ['127.0.0.1']), 'near the other replica');
});

test('a bridge says that it is one, on this machine', () => {
  const says = { 'x-toolcrib-bridge': 'stdio' };
  const frontEnds = new FrontEnds(() => []);
  const isBridge = (address: string, headers = {}) => frontEnds.senderOf(request(address, headers)).isBridge;
  for (const here of ['127.0.0.1', '::ffff:127.0.0.1', '::1']) assert.ok(isBridge(here, says), here);
  assert.ok(!isBridge('192.0.2.1', says));
  assert.ok(!isBridge('127.0.0.1'));
});

/** The dial guard: which addresses are where, which spellings are refused, and that a name leads only to what was judged. */

import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { test } from 'node:test';
import {
  checkLiteral,
  DialRefusedError,
  foundPolicy,
  guardedLookup,
  isPrivateHostEntry,
  kindOfAddress,
  ownerPolicy,
  plainSpelling,
  type ResolveName,
} from './dial-guard.ts';

const kinds = {
  public: ['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '64:ff9b::808:808'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.9.9', '192.168.1.1', '100.64.0.1', '198.18.0.7', 'fc00::1', 'fd12::1'],
  special: [
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '::',
    '::7f00:1',
    '::ffff:0:7f00:1',
    '::ffff:0:8.8.8.8',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'ff02::1',
    '2002:7f00:1::',
    '2001:0:1::',
    '64:ff9b::7f00:1',
    '64:ff9b::a01:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    'not an address',
    '',
  ],
} as const;

for (const [kind, addresses] of Object.entries(kinds)) {
  test(`addresses that are ${kind} are known as such`, () => {
    for (const address of addresses) assert.equal(kindOfAddress(address), kind, address);
  });
}

function ownerFault(text: string, address: string, privateHosts: string[] = []): string | undefined {
  const url = new URL(text);
  return ownerPolicy(privateHosts, url).faultOf(url, address);
}

test('a URL of the owner leads to private places where its host is written as such', () => {
  const near = ['localhost', 'nas', 'nas.local', 'api.internal', 'x.lan', 'x.home.arpa', 'a.localhost', 'x.test'];
  for (const host of [...near, 'x.corp', 'x.intranet', 'LOCALHOST.', '10.0.0.5', '[::1]', '192.168.0.9']) {
    for (const address of ['127.0.0.1', '10.0.0.5', '::1', 'fd12::1']) {
      assert.equal(ownerFault(`http://${host}:8080/mcp`, address), undefined, `${host} ${address}`);
    }
  }
});

test('a public name that leads to a private place is refused, with the setting that would allow it', () => {
  for (const address of ['127.0.0.1', '10.0.0.5', '::1', 'fd12::1', '::ffff:10.0.0.5', '64:ff9b::a00:5']) {
    const fault = ownerFault('https://mcp.example.com/mcp', address);
    assert.match(fault ?? '', /was not contacted.*add ".+" to "access\.privateHosts"/, address);
  }
  assert.equal(ownerFault('https://mcp.example.com/mcp', '1.1.1.1'), undefined);
  assert.equal(ownerFault('https://mcp.example.com/mcp', '10.0.0.5', ['mcp.example.com']), undefined);
});

test('link-local and other special addresses need the address itself in the list, however the host is written', () => {
  for (const host of ['169.254.169.254', 'metadata.internal', 'localhost', 'mcp.example.com']) {
    const url = `http://${host}/latest`;
    assert.match(ownerFault(url, '169.254.169.254') ?? '', /add "169\.254\.169\.254"/);
    assert.ok(ownerFault(url, '169.254.169.254', [host === '169.254.169.254' ? 'other' : host]));
    assert.equal(ownerFault(url, '169.254.169.254', ['169.254.169.254']), undefined);
    assert.equal(ownerFault(url, '169.254.169.254', ['169.254.0.0/16']), undefined);
  }
});

test('entries of the list go by host, by port, by ending and by range', () => {
  const isAllowed = (host: string, entry: string) => ownerFault(`https://${host}/`, '10.1.2.3', [entry]) === undefined;
  assert.ok(isAllowed('a.example.com', 'A.Example.com'));
  assert.ok(isAllowed('a.example.com:8443', 'a.example.com:8443'));
  assert.ok(isAllowed('a.example.com', 'a.example.com:443'));
  assert.ok(isAllowed('a.example.com:8443', '*.example.com'));
  assert.ok(isAllowed('a.example.com', '10.0.0.0/8'));
  assert.ok(isAllowed('a.example.com', '10.1.2.3:443'));
  assert.ok(!isAllowed('a.example.com', 'a.example.com:8443'));
  assert.ok(!isAllowed('example.com', '*.example.com'));
  assert.ok(!isAllowed('evilexample.com', '*.example.com'));
  assert.ok(!isAllowed('a.example.com', '10.2.0.0/16'));
  assert.ok(!isAllowed('a.example.com', '10.1.2.3:8443'));
});

test('an entry of the list is a host, an address or a range, perhaps with a port, and nothing else', () => {
  for (const good of [
    'nas',
    'a.b-c.example',
    '*.example.com',
    'x:80',
    '10.0.0.1',
    '10.0.0.0/8',
    '[::1]:80',
    'fd00::/8',
  ])
    assert.ok(isPrivateHostEntry(good), good);
  for (const bad of [
    '',
    '*',
    'a b',
    'http://x',
    'x/',
    '*.*',
    'a..b',
    '10.0.0.0/33',
    '-a',
    `${'a'.repeat(64)}.b`,
    'x:y',
  ])
    assert.ok(!isPrivateHostEntry(bad), bad);
});

test('a URL of the owner says nothing about other origins', () => {
  const policy = ownerPolicy([], new URL('http://localhost:3000/mcp'));
  assert.ok(policy.faultOf(new URL('http://localhost:3001/mcp'), '127.0.0.1'));
});

test('a URL that somebody else named leads to public places by https, and nowhere else', () => {
  const policy = foundPolicy([], new URL('https://mcp.example.com/mcp'));
  const faultOf = (text: string, address: string) => policy.faultOf(new URL(text), address);
  assert.equal(faultOf('https://auth.example.org/', '1.1.1.1'), undefined);
  assert.match(faultOf('http://auth.example.org/', '1.1.1.1') ?? '', /is not https/);
  for (const address of [...kinds.loopback, ...kinds.private, ...kinds.special.slice(0, -2)]) {
    for (const scheme of ['http', 'https']) assert.ok(faultOf(`${scheme}://auth.example.org/`, address), address);
    assert.ok(faultOf('http://localhost:9000/', address), address);
  }
});

test('a URL that somebody else named may be private where the owner named its host, or wrote its origin', () => {
  const owner = new URL('http://localhost:3000/mcp');
  assert.equal(foundPolicy([], owner).faultOf(new URL('http://localhost:3000/token'), '127.0.0.1'), undefined);
  assert.ok(foundPolicy([], owner).faultOf(new URL('http://localhost:3001/token'), '127.0.0.1'));
  const listed = foundPolicy(['localhost:3001', '10.0.0.5'], owner);
  assert.equal(listed.faultOf(new URL('http://localhost:3001/token'), '127.0.0.1'), undefined);
  assert.equal(listed.faultOf(new URL('https://10.0.0.5/token'), '10.0.0.5'), undefined);
  assert.ok(listed.faultOf(new URL('https://evil.example/token'), '10.0.0.5'), 'a name of others for a listed address');
  assert.ok(listed.faultOf(new URL('http://localhost:3001/token'), '169.254.169.254'));
});

test('an address in a URL is judged before anything is dialled, in every spelling', () => {
  const spellings = ['127.0.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]'];
  const owner = new URL('https://mcp.example.com/');
  for (const host of [...spellings, '169.254.169.254', '0xa9fea9fe', '[fe80::1]', '10.0.0.1', '0.0.0.0', '[::]']) {
    const url = new URL(`https://${host}/`);
    assert.throws(() => checkLiteral(foundPolicy([], owner), url), DialRefusedError, host);
  }
  checkLiteral(foundPolicy([], owner), new URL('https://1.1.1.1/'));
  checkLiteral(foundPolicy([], owner), new URL('https://a-name.example/'));
});

test('odd spellings of an address are recognised, with the plain one', () => {
  const odd = {
    'http://2130706433/': '127.0.0.1',
    'http://0x7f.1/mcp': '127.0.0.1',
    'http://0177.0.0.1:80/': '127.0.0.1',
    'http://127.1': '127.0.0.1',
    'http://user@0x7f000001/': '127.0.0.1',
    'http://127.0.0.1./': '127.0.0.1',
    'http://%31%32%37.0.0.1/': '127.0.0.1',
    'http://１２７.0.0.1/': '127.0.0.1',
    'http://[::ffff:127.0.0.1]/': '127.0.0.1',
    'http://[::ffff:a9fe:a9fe]/': '169.254.169.254',
    'http:\\\\0x7f.1\\mcp': '127.0.0.1',
  };
  for (const [text, plain] of Object.entries(odd)) assert.equal(plainSpelling(text), plain, text);
  const fine = ['http://127.0.0.1:3000/', 'http://[::1]/', 'http://[0:0::1]/', 'https://example.com/1.2.3', 'nonsense'];
  for (const text of [...fine, 'http://localhost', 'HTTP://10.0.0.1/x'])
    assert.equal(plainSpelling(text), undefined, text);
});

function resolving(...addresses: string[]): ResolveName {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, _options, callback) => callback(null, found);
}

function lookedUp(all: boolean, ...addresses: string[]): unknown {
  const url = new URL('https://mcp.example.com/');
  const lookup = guardedLookup(ownerPolicy([], url), url, resolving(...addresses));
  let told: unknown;
  const callback = (error: Error | null, found: string | LookupAddress[]) => {
    told = error ?? found;
  };
  lookup('mcp.example.com', { all }, callback);
  return told;
}

test('only addresses that were judged come out of a lookup', () => {
  assert.equal(lookedUp(false, '10.0.0.1', '1.1.1.1'), '1.1.1.1');
  assert.deepEqual(lookedUp(true, '::1', '1.1.1.1', '127.0.0.1'), [{ address: '1.1.1.1', family: 4 }]);
  for (const all of [true, false]) {
    const refused = lookedUp(all, '127.0.0.1', '10.0.0.1');
    assert.ok(refused instanceof DialRefusedError);
    assert.match(refused.message, /"mcp\.example\.com" leads to 127\.0\.0\.1, this machine itself/);
    assert.ok(lookedUp(all) instanceof DialRefusedError, 'no address at all');
  }
});

test('a name that cannot be resolved fails as it always did', () => {
  const url = new URL('https://gone.example/');
  const failing: ResolveName = (_hostname, _options, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
  let told: Error | null = null;
  guardedLookup(ownerPolicy([], url), url, failing)('gone.example', {}, (error) => {
    told = error;
  });
  assert.equal((told as NodeJS.ErrnoException | null)?.code, 'ENOTFOUND');
});

/** Tests of the names that servers get from their keys. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { callId } from '../base/ids.ts';
import { isLegalName, legalName } from './config.ts';
import { titleOfKey } from './server-names.ts';

const legal = /^[a-z0-9][a-z0-9_-]{0,62}$/;

test('a legal key is its own name and gives no title', () => {
  for (const key of ['files', 'a', '0', 'my_server-2', 'constructor', 'a'.repeat(63)]) {
    assert.equal(legalName(key), key);
    assert.equal(titleOfKey(key), null);
  }
});

test('no server is named like a call that waits for approval', () => {
  const id = callId(() => false);
  assert.match(legalName(id), /^call_[a-z2-9]{6}-[0-9a-f]{8}$/);
  assert.equal(legalName('call_center'), 'call_center');
});

test('case and spaces are folded without a hash', () => {
  assert.equal(legalName('GitHub'), 'github');
  assert.equal(legalName('my server'), 'my-server');
  assert.equal(legalName('  My   Server '), 'my-server');
  assert.equal(titleOfKey('  My   Server '), 'My   Server');
});

test('a key that loses more carries a stable hash', () => {
  assert.equal(legalName('../x'), 'x-d6b96a97');
  assert.equal(legalName('__proto__'), 'proto-30e2af38');
  assert.equal(legalName('io.github.acme/tools'), 'io-github-acme-tools-3095a6d1');
  assert.equal(legalName('日本'), 'server-cf2abf0c');
  assert.equal(legalName(''), 'server-e3b0c442');
  assert.notEqual(legalName('a/b'), legalName('a.b'));
});

test('keys with control characters or of 4 kB become short printable names and titles', () => {
  const long = 'x'.repeat(4_096);
  assert.match(legalName(long), legal);
  assert.notEqual(legalName(long), legalName(`${long}x`));
  assert.equal(titleOfKey(long)?.length, 128);
  assert.match(legalName('a\u0000b\u001b[31m\n'), /^a-b-31m-[0-9a-f]{8}$/);
  assert.equal(titleOfKey('a\u0000b\u001b[31m\n'), 'ab[31m');
  assert.equal(titleOfKey('\u0000'), null);
});

test('a megabyte of spaces or signs is handled in linear time', () => {
  assert.match(legalName(`${' '.repeat(1_000_000)}é`), legal);
  assert.match(legalName(`${'-'.repeat(1_000_000)}é`), legal);
});

test('every name is legal, and naming it again changes nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.string({ maxLength: 5_000 })), (key) => {
      const name = legalName(key);
      assert.match(name, legal);
      assert.ok(isLegalName(name));
      assert.equal(legalName(name), name);
      assert.equal(legalName(key), name);
    }),
  );
});

test('keys that differ beyond case and spaces get different names', () => {
  const fold = (key: string) => key.toLowerCase().split(' ').filter(Boolean).join('-');
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
      fc.pre(fold(a) !== fold(b));
      assert.notEqual(legalName(a), legalName(b));
    }),
  );
});

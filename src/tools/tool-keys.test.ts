/** Keys that end: stamped, understood with and without their stamp, refused when old. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { expirationOf, readKey, stampKey } from './tool-keys.ts';

const now = Date.parse('2026-08-31T12:00:30Z');
const never = () => false;

test('without a time to live keys carry nothing and end never', () => {
  const forEver = { ttlMinutes: 0, now };
  assert.equal(stampKey('a:b', forEver), 'a:b');
  assert.equal(expirationOf(forEver), undefined);
  const old = stampKey('a:b', { ttlMinutes: 5, now: 0 });
  assert.equal(readKey(old, forEver, never), 'a:b');
});

test('a stamped key is understood until its time is over, its bare form always', () => {
  const key = stampKey('github:create~issue', { ttlMinutes: 5, now });
  assert.match(key, /^github:create~issue~[0-9a-z]{7}$/);
  const at = (later: number) => ({ ttlMinutes: 5, now: now + later });
  assert.equal(readKey(key, at(4 * 60_000), never), 'github:create~issue');
  assert.throws(
    () => readKey(key, at(5 * 60_000), never),
    (error) => error instanceof GatewayError && error.code === 'TOOLKEY_EXPIRED',
  );
  assert.equal(readKey('github:create~issue', at(3_600_000), never), 'github:create~issue');
});

test('it is told until when, and that is when it ends', () => {
  const told = expirationOf({ ttlMinutes: 5, now });
  assert.deepEqual(told, { expiresAt: '2026-08-31T12:05:30.000Z', expiresInSeconds: 300, ttlMinutes: 5 });
  const key = stampKey('a:b', { ttlMinutes: 5, now });
  const last = Date.parse(told?.expiresAt ?? '') - 1;
  assert.equal(readKey(key, { ttlMinutes: 5, now: last }, never), 'a:b');
  assert.throws(() => readKey(key, { ttlMinutes: 5, now: last + 1 }, never));
});

test('a tool that is called like a stamped key goes first', () => {
  const odd = 'a:b~0000001';
  assert.equal(
    readKey(odd, { ttlMinutes: 5, now }, (key) => key === odd),
    odd,
  );
});

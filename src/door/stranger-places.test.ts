/** Tests of the places of requests that name nobody yet. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../config/config.ts';
import { HttpError } from './read-request.ts';
import { StrangerPlaces } from './stranger-places.ts';

const from = (address: string) => ({ address, isKnown: true, isTrusted: true, isHttps: true });
const refusedWith = (status: number) => (error: unknown) =>
  error instanceof HttpError && error.status === status && error.headers['retry-after'] === '1';

test('one sender has so many places and no more, however many addresses of its network it uses', () => {
  const places = new StrangerPlaces();
  const taken = Array.from({ length: limits.strangerRequests }, (_, at) => places.take(from(`2001:db8:1:2::${at}`)));
  assert.throws(() => places.take(from('2001:db8:1:2:ffff::1')), refusedWith(429));
  places.take(from('192.0.2.1'));
  for (const release of [taken[0], taken[0]]) release?.();
  places.take(from('2001:db8:1:2::9'));
  assert.throws(() => places.take(from('2001:db8:1:2::9')), refusedWith(429), 'a place was given back twice');
});

test('all senders together have a limit too, and who was refused by it holds no place', () => {
  const places = new StrangerPlaces();
  const taken = Array.from({ length: limits.strangerRequestsInAll }, (_, at) => places.take(from(`192.0.2.${at}`)));
  for (let at = 0; at <= limits.strangerRequests; at += 1)
    assert.throws(() => places.take(from('198.51.100.1')), refusedWith(503));
  taken[0]?.();
  places.take(from('198.51.100.1'));
});

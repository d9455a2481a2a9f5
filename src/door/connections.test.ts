/** Tests of what callers have open: slots, and the rights of now. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../config/config.ts';
import { AnonymousSlots, Connections, Slots } from './connections.ts';
import { HttpError } from './exchange.ts';

test('a connection without rights is ended once, and one that is over is left alone', () => {
  const connections = new Connections();
  const gone = new Set<string>();
  const ended: string[] = [];
  const connection = (name: string) => ({ mayStay: () => !gone.has(name), end: () => void ended.push(name) });
  connections.add(connection('ann'));
  const leave = connections.add(connection('bob'));
  connections.add(connection('cid'));
  connections.review();
  assert.deepEqual(ended, []);
  leave();
  gone.add('ann').add('bob');
  connections.review();
  connections.review();
  assert.deepEqual(ended, ['ann']);
});

test('a connection may close while others are being ended', () => {
  const connections = new Connections();
  const ended: string[] = [];
  let leave = () => {};
  connections.add({ mayStay: () => false, end: () => leave() });
  leave = connections.add({ mayStay: () => false, end: () => void ended.push('too late') });
  connections.add({ mayStay: () => false, end: () => void ended.push('last') });
  connections.review();
  assert.deepEqual(ended, ['last']);
});

const from = (address: string) => ({ address, isKnown: true, isTrusted: true, isBridge: false });
const refusedWith = (status: number) => (error: unknown) =>
  error instanceof HttpError && error.status === status && error.headers['retry-after'] === '1';

test('a sender has a limited number of slots, however many addresses of its network it uses', () => {
  const slots = new AnonymousSlots();
  const taken = Array.from({ length: limits.anonymousRequests }, (_, at) => slots.take(from(`2001:db8:1:2::${at}`)));
  assert.throws(() => slots.take(from('2001:db8:1:2:ffff::1')), refusedWith(429));
  slots.take(from('192.0.2.1'));
  for (const release of [taken[0], taken[0]]) release?.();
  slots.take(from('2001:db8:1:2::9'));
  assert.throws(() => slots.take(from('2001:db8:1:2::9')), refusedWith(429), 'a slot was freed twice');
});

test('all senders together have a limit too, and a refused request holds no slot', () => {
  const slots = new AnonymousSlots();
  const taken = Array.from({ length: limits.anonymousRequestsInAll }, (_, at) => slots.take(from(`192.0.2.${at}`)));
  for (let at = 0; at <= limits.anonymousRequests; at += 1)
    assert.throws(() => slots.take(from('198.51.100.1')), refusedWith(503));
  taken[0]?.();
  slots.take(from('198.51.100.1'));
});

test('each principal has slots of its own and frees only those that it took', () => {
  let most = 2;
  const slots = new Slots(() => most);
  const [first, second] = [slots.take('ann'), slots.take('ann')];
  assert.ok(first && second);
  assert.equal(slots.take('ann'), undefined);
  assert.ok(slots.take('bob'));
  first();
  first();
  assert.ok(slots.take('ann'));
  assert.equal(slots.take('ann'), undefined);
  most = 3;
  assert.ok(slots.take('ann'));
});

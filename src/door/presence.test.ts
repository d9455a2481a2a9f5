/** Tests of who is here, and of how many of something each may have. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Allowance } from './allowance.ts';
import { Presence } from './presence.ts';

test('who may not stay is shown out once, and who has gone is not looked for', () => {
  const presence = new Presence();
  const gone = new Set<string>();
  const ended: string[] = [];
  const visit = (name: string) => ({ mayStay: () => !gone.has(name), end: () => void ended.push(name) });
  presence.add(visit('ann'));
  const leave = presence.add(visit('bob'));
  presence.add(visit('cid'));
  presence.review();
  assert.deepEqual(ended, []);
  leave();
  gone.add('ann').add('bob');
  presence.review();
  presence.review();
  assert.deepEqual(ended, ['ann']);
});

test('who leaves while others are shown out does not disturb it', () => {
  const presence = new Presence();
  const ended: string[] = [];
  let leave = () => {};
  presence.add({ mayStay: () => false, end: () => leave() });
  leave = presence.add({ mayStay: () => false, end: () => void ended.push('too late') });
  presence.add({ mayStay: () => false, end: () => void ended.push('last') });
  presence.review();
  assert.deepEqual(ended, ['last']);
});

test('each has its own share, and gives back only what it took', () => {
  let most = 2;
  const allowance = new Allowance(() => most);
  const [first, second] = [allowance.take('ann'), allowance.take('ann')];
  assert.ok(first && second);
  assert.equal(allowance.take('ann'), undefined);
  assert.ok(allowance.take('bob'));
  first();
  first();
  assert.ok(allowance.take('ann'));
  assert.equal(allowance.take('ann'), undefined);
  most = 3;
  assert.ok(allowance.take('ann'));
});

/** Tests of connections that end with the rights of their principal. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connections } from './current-rights.ts';

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

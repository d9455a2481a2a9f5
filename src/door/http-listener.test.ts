/** The address of a door: its hosts, its port, and its end. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { HttpListener } from './http-listener.ts';

const anyPort = { host: '127.0.0.1', ports: [0], isAuthOff: false };

test('closing ends connections whose requests have no answer yet', async () => {
  const listener = await HttpListener.open(anyPort);
  const asked = Promise.withResolvers<void>();
  listener.serve(() => asked.resolve());
  const agent = connect(Number(new URL(listener.url).port), '127.0.0.1');
  agent.on('error', () => {});
  agent.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await asked.promise;
  const left = once(agent, 'close');
  await Promise.all([listener.close(), listener.close()]);
  await left;
  assert.equal(agent.destroyed, true);
});

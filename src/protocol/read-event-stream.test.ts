/** Streams of our own door as their readers see them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { readEventStream } from './read-event-stream.ts';

test('a stream that falls silent is over, and one that says anything is not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let say = (_text: string) => {};
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      say = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  const reader = readEventStream(stream);
  const first = reader.next();
  for (let minutes = 0; minutes < 2; minutes += 1) {
    await turn();
    t.mock.timers.tick(40_000);
    say(': keepalive\n\n');
  }
  await turn();
  say('id: 1\nevent: server\ndata: {}\n\n');
  assert.deepEqual((await first).value, { id: '1', event: 'server', data: '{}' });
  const next = reader.next();
  await turn();
  assert.equal(isCancelled, false);
  t.mock.timers.tick(45_000);
  assert.equal((await next).done, true);
  assert.equal(isCancelled, true);
});

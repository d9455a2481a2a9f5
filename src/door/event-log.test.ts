/** Streams of a legacy session: what they keep and for how long, and what happens when nobody reads them. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { http } from '../base/node-http.ts';
import { notification } from '../protocol/messages.ts';
import { EventStream } from './event-log.ts';
import { watchReading } from './exchange.ts';

const news = (characters: number) => notification('news', { pad: 'x'.repeat(characters) });

function newStream(clock = new ManualClock()): EventStream {
  return new EventStream({ id: 's', clock, hasPriming: true, onKept() {} });
}

/** A response with an agent at the other end that reads, or does not. */
async function openResponse({ isRead }: { readonly isRead: boolean }) {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const agent: Socket = connect(port, '127.0.0.1');
  agent.on('error', () => {});
  agent.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  if (isRead) agent.resume();
  else agent.pause();
  return {
    response,
    [Symbol.dispose]() {
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

test('nothing is written to a stream after its end, however much of it is still unread', async () => {
  using slow = await openResponse({ isRead: false });
  const stream = newStream();
  stream.send(news(30_000_000));
  stream.end();
  stream.attach(slow.response, {}, 0);
  assert.equal(stream.isConnected, false);
  const failed: unknown[] = [];
  slow.response.on('error', (error) => failed.push(error));
  stream.send(news(1));
  await new Promise(setImmediate);
  assert.deepEqual([failed, slow.response.destroyed], [[], false]);
});

test('an agent that does not read is cut off when too much piles up', async () => {
  using slow = await openResponse({ isRead: false });
  const stream = newStream();
  stream.attach(slow.response, {});
  for (let at = 0; at < 40; at += 1) stream.send(news(1_000_000));
  assert.equal(slow.response.destroyed, true);
  assert.equal(stream.isConnected, false);
  assert.ok(stream.keptCharacters <= 1_048_576);
});

test('an agent that reads gets an answer of any size', async () => {
  using quick = await openResponse({ isRead: true });
  const stream = newStream();
  stream.attach(quick.response, {});
  stream.end(news(10_000_000), news(10_000_000));
  await once(quick.response, 'finish');
  assert.equal(stream.keptCharacters, 0, 'what is too large to keep was written, and is not kept');
  assert.equal(stream.canResume(0), false, 'and nobody is told that there was nothing');
  assert.equal(stream.canResume(2), true);
});

test('the newest events are kept, although they were written', async () => {
  using quick = await openResponse({ isRead: true });
  const stream = newStream();
  stream.attach(quick.response, {});
  for (let at = 0; at < 3; at += 1) stream.send(news(500_000));
  assert.ok(stream.keptCharacters > 1_000_000 && stream.keptCharacters <= 1_048_576);
});

test('an answer too large to keep waits for an agent that is away', async () => {
  const stream = newStream();
  stream.end(news(2_000_000));
  assert.equal(stream.canResume(0), true);
  using quick = await openResponse({ isRead: true });
  stream.attach(quick.response, {}, 0);
  await once(quick.response, 'finish');
  assert.equal(stream.keptCharacters, 0);
});

test('a stream that was written to its end can be read again for a minute', async () => {
  const clock = new ManualClock();
  using quick = await openResponse({ isRead: true });
  const stream = newStream(clock);
  stream.attach(quick.response, {});
  stream.end(news(10));
  await once(quick.response, 'finish');
  await clock.advance(59_000);
  assert.equal(stream.canResume(0), true);
  await clock.advance(2_000);
  assert.deepEqual([stream.canResume(0), stream.keptCharacters], [false, 0]);
});

test('a response whose agent has stopped reading is cut off after a while, and an idle one is not', async () => {
  using slow = await openResponse({ isRead: false });
  using idle = await openResponse({ isRead: true });
  for (const { response } of [slow, idle]) {
    response.writeHead(200).flushHeaders();
    watchReading(response, 50);
  }
  idle.response.write('x');
  slow.response.write('x'.repeat(30_000_000));
  await once(slow.response, 'close');
  assert.equal(idle.response.destroyed, false);
});

/** Tests of the lifetime of a stream of events, and of keeping it alive. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { everybody } from '../access/access.ts';
import { systemClock } from '../base/clock.ts';
import { http } from '../base/node-http.ts';
import { keepAliveMs } from './exchange.ts';
import { serveEvents } from './serve-events.ts';

for (const end of ['reader', 'gateway'] as const)
  test(`a stream of events lasts until its ${end} goes`, async (t) => {
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const leaving = new AbortController();
    const { port } = server.address() as { port: number };
    const answered = fetch(`http://127.0.0.1:${port}`, { signal: leaving.signal });
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    const ending = new AbortController();
    let followers = 0;
    const events = {
      follow: () => {
        followers += 1;
        return () => {
          followers -= 1;
        };
      },
    };
    const served = serveEvents(
      { request, response, principal: () => everybody },
      { events, clock: systemClock, ending: ending.signal },
    ).then(() => 'over');
    const reading = (await answered).text();
    const soon = new Promise((resolve) => setImmediate(() => resolve('open')));
    assert.equal(await Promise.race([served, soon]), 'open');
    assert.equal(followers, 1);
    if (end === 'reader') {
      leaving.abort();
      await assert.rejects(reading, { name: 'AbortError' });
    } else {
      ending.abort();
      assert.equal(await reading, '');
    }
    assert.deepEqual([await served, followers], ['over', 0]);
  });

test('a stream of events without news is kept alive repeatedly', async (t) => {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const answered = fetch(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const clock = new ManualClock();
  const ending = new AbortController();
  const events: Parameters<typeof serveEvents>[1]['events'] = {
    follow: ({ onEvent }) => {
      onEvent({ id: '1', kind: 'calls', data: {} } as unknown as Parameters<typeof onEvent>[0]);
      return () => {};
    },
  };
  const served = serveEvents(
    { request, response, principal: () => everybody },
    { events, clock, ending: ending.signal },
  );
  for (let time = 0; time < 2; time += 1) await clock.advance(keepAliveMs);
  ending.abort();
  await served;
  assert.match(await (await answered).text(), /event: calls\n.*(: keepalive\n\n){2}$/s);
  assert.deepEqual(clock.waits, []);
});

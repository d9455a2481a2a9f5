/** How long a stream of events lasts. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { everybody } from '../access/access.ts';
import { systemClock } from '../base/clock.ts';
import { http } from '../base/node-http.ts';
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

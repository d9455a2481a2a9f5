/** Events that are taken together, and a stream that nobody reads any more. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GatewayEvent } from '../../admin/admin.ts';
import { gatherEvents } from './gather-events.ts';

const event = (id: string) => ({ id, kind: 'begin', data: {} }) as GatewayEvent;

/** A stream whose events come when they are told. */
function openStream() {
  const arrivals = Array.from({ length: 3 }, () => Promise.withResolvers<GatewayEvent>());
  const closed = Promise.withResolvers<void>();
  async function* read() {
    try {
      for (const { promise } of arrivals) yield await promise;
    } finally {
      closed.resolve();
    }
  }
  return { events: read(), tell: (at: number) => arrivals[at]?.resolve(event(`r.${at}`)), closed: closed.promise };
}

test('first none, then those that came while it paused, then the end', async () => {
  const { events, tell } = openStream();
  const taken: (readonly string[])[] = [];
  const pause = async () => {
    for (const at of [0, 1, 2]) tell(at);
    await new Promise(setImmediate);
  };
  tell(0);
  for await (const some of gatherEvents(events, pause)) taken.push(some.map(({ id }) => id));
  assert.deepEqual(taken, [[], ['r.0', 'r.1', 'r.2']]);
});

test('a stream that is left is closed by its next event', { timeout: 10_000 }, async () => {
  const { events, tell, closed } = openStream();
  tell(0);
  for await (const some of gatherEvents(events, async () => {})) if (some.length > 0) break;
  tell(1);
  await closed;
});

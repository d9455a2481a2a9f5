/** One legacy session alone: the streams it keeps, the resources it watches, and its end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { everybody } from '../access/access.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { Slots } from './connections.ts';
import { LegacySession } from './legacy-session.ts';

function openSession() {
  const watched: string[] = [];
  // Nothing else of an endpoint is used.
  const endpoint = {
    listen: () => () => {},
    subscribe: async (uri: string) => void watched.push(uri),
    unsubscribe: async () => {},
  } as unknown as Endpoint;
  const session = new LegacySession({
    ...{ replica: null, home: 'agent', owner: everybody, principal: everybody, mayStay: () => true, endpoint },
    ...{ subscriptions: new Slots(() => 1), clock: new ManualClock(), version: '2025-11-25', capabilities: {} },
  });
  return { session, watched };
}

test('the standing stream and the streams of the last fifteen requests can be read again', () => {
  const { session } = openSession();
  const streams = Array.from({ length: 16 }, () => {
    const stream = session.openStream();
    stream.end();
    return stream;
  });
  const kept = streams.map(({ id }) => session.findStream(id) !== undefined);
  assert.deepEqual(kept, [false, ...Array.from({ length: 15 }, () => true)]);
});

test('a resource that is already watched takes no second place', async () => {
  const { session, watched } = openSession();
  for (let time = 0; time < 2; time += 1) await session.subscribe('test://one', everybody, madeAgent());
  assert.deepEqual(watched, ['test://one']);
  await assert.rejects(session.subscribe('test://two', everybody, madeAgent()), /at most 1 resources at once/);
});

test('every stream of a session ends with it', () => {
  const { session } = openSession();
  const streams = [session.standing, session.openStream()];
  session.end();
  assert.deepEqual(
    streams.map(({ isEnded }) => isEnded),
    [true, true],
  );
});

/** The queue of writes: in order, one at a time, bounded. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteQueue } from './write-queue.ts';

test('acts run one at a time and in order, and the failure of one does not stop the next', async () => {
  const queue = new WriteQueue();
  const seen: string[] = [];
  const act = (name: string) => async () => {
    seen.push(`${name} starts`);
    await Promise.resolve();
    seen.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.run(act(name))));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(seen, ['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
});

test('a full queue refuses at once and takes more when it has emptied', async () => {
  const queue = new WriteQueue();
  const { promise: lock, resolve: unlock } = Promise.withResolvers<void>();
  const waiting = [queue.run(() => lock)];
  while (waiting.length < 10_000) waiting.push(queue.run(async () => {}));
  await assert.rejects(
    queue.run(async () => {}),
    { code: 'STORE_BUSY', message: /10000 writes/ },
  );
  unlock();
  await Promise.all(waiting);
  assert.equal(await queue.run(async () => 'done'), 'done');
});

/** Tests of reads that end in another order than they began. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { CoalescedReads, OrderedReads } from './ordered-reads.ts';

/** Reads that end when they are told to. */
function setUp() {
  const reads = new OrderedReads();
  const used: string[] = [];
  const looks: PromiseWithResolvers<string>[] = [];
  const begin = () =>
    reads.read(
      () => {
        const look = Promise.withResolvers<string>();
        looks.push(look);
        return look.promise;
      },
      (found) => used.push(found),
    );
  return { reads, used, looks, begin };
}

test('a read is used although a later one has begun', async () => {
  const { used, looks, begin } = setUp();
  const [first, second] = [begin(), begin()];
  looks[0]?.resolve('first');
  await first;
  assert.deepEqual(used, ['first']);
  looks[1]?.resolve('second');
  await second;
  assert.deepEqual(used, ['first', 'second']);
});

test('a read that ends after a later one is not used', async () => {
  const { used, looks, begin } = setUp();
  const [first, second] = [begin(), begin()];
  looks[1]?.resolve('second');
  await second;
  looks[0]?.resolve('first');
  await first;
  assert.deepEqual(used, ['second']);
});

test('a read that began before a change of ours looks again', async () => {
  const { reads, used, looks, begin } = setUp();
  const reading = begin();
  reads.noteChange();
  looks[0]?.resolve('before');
  await looks[0]?.promise;
  await Promise.resolve();
  looks[1]?.resolve('after');
  await reading;
  assert.deepEqual(used, ['after']);
});

/** Reads that end when they are told to, one at a time. */
function coalesced() {
  const clock = new ManualClock();
  const looks: PromiseWithResolvers<void>[] = [];
  const reads = new CoalescedReads(clock, () => {
    const look = Promise.withResolvers<void>();
    looks.push(look);
    return look.promise;
  });
  return { clock, reads, looks };
}

test('all who ask while a read runs share the next one, and each later one begins at once', async () => {
  const { clock, reads, looks } = coalesced();
  const asked = Array.from({ length: 100 }, () => reads.read());
  assert.equal(looks.length, 1);
  looks[0]?.resolve();
  await asked[0];
  await clock.advance(0);
  assert.equal(looks.length, 2);
  looks[1]?.reject(new Error('gone'));
  const ends = await Promise.allSettled(asked);
  assert.equal(ends.filter(({ status }) => status === 'rejected').length, 99);
  void reads.read();
  assert.equal(looks.length, 3);
  assert.deepEqual(clock.waits, []);
});

test('a read that hangs keeps the next one waiting for a while only', async () => {
  const { clock, reads, looks } = coalesced();
  void reads.read();
  const next = reads.read();
  await clock.advance(4_999);
  assert.equal(looks.length, 1);
  await clock.advance(1);
  assert.equal(looks.length, 2);
  looks[1]?.resolve();
  await next;
});

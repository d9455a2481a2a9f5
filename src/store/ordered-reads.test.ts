/** Tests of reads that end in another order than they began. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderedReads } from './ordered-reads.ts';

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

/** The limiter: it holds its limit, keeps a bounded line in order, and never loses a place. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { GatewayError } from './errors.ts';
import { Limiter } from './limiter.ts';

const full = (running: number, waiting: number) =>
  new GatewayError('RATE_LIMITED', `${running} run and ${waiting} wait.`);

/** Work that ends on `finish`. */
class Work {
  readonly started: number[] = [];
  readonly #ends = new Map<number, PromiseWithResolvers<void>>();

  act(id: number): () => Promise<number> {
    return async () => {
      this.started.push(id);
      const end = Promise.withResolvers<void>();
      this.#ends.set(id, end);
      await end.promise;
      return id;
    };
  }

  async finish(id: number, error?: Error): Promise<void> {
    const end = this.#ends.get(id);
    if (error) end?.reject(error);
    else end?.resolve();
    await turn();
  }
}

test('no more run at once than allowed, and the others follow in order', async () => {
  const limiter = new Limiter(full, 2, 10);
  const work = new Work();
  const all = [1, 2, 3, 4].map((id) => limiter.run(work.act(id)));
  assert.deepEqual([work.started, limiter.running, limiter.waiting], [[1, 2], 2, 2]);
  await work.finish(2);
  assert.deepEqual(work.started, [1, 2, 3]);
  await work.finish(1);
  await work.finish(3);
  await work.finish(4);
  assert.deepEqual(await Promise.all(all), [1, 2, 3, 4]);
  assert.deepEqual([limiter.running, limiter.waiting], [0, 0]);
});

test('beyond the line a clear refusal comes at once', async () => {
  const limiter = new Limiter(full, 1, 1);
  const work = new Work();
  const running = [1, 2].map((id) => limiter.run(work.act(id)));
  await assert.rejects(limiter.run(work.act(3)), { code: 'RATE_LIMITED', message: '1 run and 1 wait.' });
  await work.finish(1);
  await work.finish(2);
  await Promise.all(running);
});

test('a failure frees its place', async () => {
  const limiter = new Limiter(full, 1, 5);
  const work = new Work();
  const first = assert.rejects(limiter.run(work.act(1)), /broken/);
  const second = limiter.run(work.act(2));
  await work.finish(1, new Error('broken'));
  await first;
  await work.finish(2);
  assert.equal(await second, 2);
});

test('a waiting request that is given up leaves the line and does not run', async () => {
  const limiter = new Limiter(full, 1, 5);
  const work = new Work();
  const first = limiter.run(work.act(1));
  const givingUp = new AbortController();
  const second = limiter.run(work.act(2), givingUp.signal);
  const third = limiter.run(work.act(3));
  givingUp.abort(new Error('no longer wanted'));
  await assert.rejects(second, /no longer wanted/);
  assert.equal(limiter.waiting, 1);
  await work.finish(1);
  await work.finish(3);
  assert.deepEqual([await first, await third, work.started], [1, 3, [1, 3]]);
});

test('another limit holds at once: a higher one lets in those who wait, a lower one waits for those who run', async () => {
  const limiter = new Limiter(full, 1, 5);
  const work = new Work();
  const all = [1, 2, 3, 4, 5].map((id) => limiter.run(work.act(id)));
  limiter.atOnce = 3;
  await turn();
  assert.deepEqual([work.started, limiter.running, limiter.waiting], [[1, 2, 3], 3, 2]);
  limiter.atOnce = 1;
  await work.finish(1);
  await work.finish(2);
  assert.deepEqual([work.started, limiter.running], [[1, 2, 3], 1]);
  for (const id of [3, 4, 5]) await work.finish(id);
  assert.deepEqual(await Promise.all(all), [1, 2, 3, 4, 5]);
});

test('the limit always holds, and everybody is served', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(fc.boolean(), { maxLength: 30 }), async (most, fails) => {
      const limiter = new Limiter(full, most, 100);
      let running = 0;
      const settled = await Promise.allSettled(
        fails.map((isFailing) =>
          limiter.run(async () => {
            running += 1;
            assert.ok(running <= most);
            await turn();
            running -= 1;
            if (isFailing) throw new Error('broken');
          }),
        ),
      );
      assert.deepEqual(
        settled.map(({ status }) => status === 'rejected'),
        fails,
      );
      assert.deepEqual([limiter.running, limiter.waiting], [0, 0]);
    }),
    { numRuns: 40 },
  );
});

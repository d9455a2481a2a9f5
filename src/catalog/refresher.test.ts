/** When servers are listed, with a clock that the test moves: notices in storms, echoes, first listings, failures. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { ListingDiff } from '../store/store.ts';
import { Refresher } from './refresher.ts';

const nothing: ListingDiff = { added: [], updated: [], removed: [], unchanged: 5 };
const something: ListingDiff = { ...nothing, updated: ['a'] };

/** Listings that take 10 ms; `outcome` says what comes of each, `onList` what happens meanwhile. */
class Harness {
  readonly clock = new ManualClock();
  readonly times: number[] = [];
  readonly servers: string[] = [];
  outcome: (server: string) => ListingDiff | Error = () => nothing;
  onList: (server: string) => void = () => {};
  readonly refresher = new Refresher(this.clock, async (server, signal) => {
    this.times.push(this.clock.elapsed());
    this.servers.push(server);
    await Promise.resolve();
    this.onList(server);
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const timer = this.clock.after(this.takesMs(server), resolve);
      signal.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason);
      });
    });
    const outcome = this.outcome(server);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  takesMs: (server: string) => number = () => 10;
}

test('[CAT-11] one notice is followed after a short wait, and all that come in it are one', async () => {
  const harness = new Harness();
  for (let at = 0; at < 50; at += 1) harness.refresher.soon('s');
  await harness.clock.advance(249);
  assert.deepEqual(harness.times, []);
  await harness.clock.advance(1);
  assert.deepEqual(harness.times, [250]);
  await harness.clock.advance(10_000);
  assert.deepEqual(harness.times, [250]);
  harness.refresher.soon('s');
  await harness.clock.advance(250);
  assert.equal(harness.times.length, 2, 'after a quiet time a notice is followed at once again');
});

test('a relist starts after the listing that runs, and several share one', async () => {
  const harness = new Harness();
  const first = harness.refresher.startAfterRunning('s');
  await harness.clock.advance(5);
  const relists = [harness.refresher.startAfterRunning('s'), harness.refresher.startAfterRunning('s')];
  await harness.clock.advance(5);
  await first;
  await harness.clock.advance(10);
  await Promise.all(relists);
  assert.deepEqual(harness.times, [0, 10]);
});

test('a relist hears nothing of a listing that began before it and fails', async () => {
  const harness = new Harness();
  harness.outcome = () => (harness.times.length === 1 ? new Error('broken') : something);
  const before = assert.rejects(harness.refresher.now('s'), /broken/);
  await harness.clock.advance(5);
  const relist = harness.refresher.startAfterRunning('s');
  await harness.clock.advance(5);
  await before;
  await harness.clock.advance(10);
  assert.deepEqual(await relist, something);
});

/** Notices every 5 ms for so long. */
async function storm(harness: Harness, forMs: number): Promise<void> {
  for (let at = 0; at < forMs; at += 5) {
    harness.refresher.soon('s');
    await harness.clock.advance(5);
  }
}

test('[CAT-11] a storm that brings nothing new is followed ever more slowly', async () => {
  const harness = new Harness();
  await storm(harness, 2_000);
  assert.ok(harness.times.length <= 2, `${harness.times}`);
  await storm(harness, 60_000);
  assert.ok(harness.times.length <= 8, `${harness.times}`);
  const gaps = harness.times.slice(1).map((time, at) => time - (harness.times[at] ?? 0));
  assert.ok(
    gaps.every((gap, at) => at === 0 || gap >= (gaps[at - 1] ?? 0) - 5),
    `${gaps}`,
  );
});

test('[CAT-11] the last state of a storm is seen soon after it, and the next change is followed at once', async () => {
  const harness = new Harness();
  await storm(harness, 60_000);
  const before = harness.times.length;
  await harness.clock.advance(4_000);
  assert.equal(harness.times.length, before + 1, `${harness.times}`);
  await harness.clock.advance(60_000);
  assert.equal(harness.times.length, before + 1);
  for (let turn = 1; turn <= 5; turn += 1) {
    const lists = harness.times.length;
    await storm(harness, 300);
    assert.equal(harness.times.length, lists + 1, `storm ${turn}`);
    await storm(harness, 1_700);
    await harness.clock.advance(5_000);
    assert.ok(harness.times.length <= lists + 3, `${harness.times}`);
  }
});

test('[CAT-11] a server that storms anew after each listing is listed ever more slowly too, whatever calm lies between', async () => {
  for (const delayMs of [100, 500, 1_500]) {
    const harness = new Harness();
    harness.onList = () => {
      harness.clock.after(delayMs, () => {
        for (let notice = 0; notice < 20; notice += 1) harness.refresher.soon('s');
      });
    };
    harness.refresher.soon('s');
    await harness.clock.advance(600_000);
    assert.ok(harness.times.length <= 60, `${harness.times.length} lists with notices ${delayMs} ms after each`);
    await harness.refresher.close();
  }
});

test('[CAT-11] a storm of true changes is followed at least once a second', async () => {
  const harness = new Harness();
  harness.outcome = () => something;
  await storm(harness, 10_000);
  assert.ok(harness.times.length >= 10 && harness.times.length <= 12, `${harness.times}`);
});

test('[CAT-12] a notice that comes during a listing is followed once, and an echo not at all', async () => {
  const harness = new Harness();
  let echoes = 1;
  harness.onList = () => {
    if (echoes-- > 0) harness.refresher.soon('s');
  };
  await Promise.all([harness.refresher.now('s'), harness.clock.advance(20)]);
  await harness.clock.advance(10_000);
  assert.equal(harness.times.length, 2, 'the change may have come after the page was read');
  echoes = Number.POSITIVE_INFINITY;
  await Promise.all([harness.refresher.now('s'), harness.clock.advance(20)]);
  await harness.clock.advance(120_000);
  assert.equal(harness.times.length, 4, 'the listing, one more, and no loop');
});

test('[CAT-13] a listing that failed is tried again after 8, 16 and then every 30 seconds, until it succeeds', async () => {
  const harness = new Harness();
  harness.outcome = () => {
    harness.refresher.again('s');
    return new Error('broken');
  };
  const first = assert.rejects(harness.refresher.now('s'), /broken/);
  await harness.clock.advance(10);
  await first;
  await harness.clock.advance(90_000);
  const gaps = harness.times.slice(1).map((time, at) => time - (harness.times[at] ?? 0));
  assert.deepEqual(gaps.slice(0, 4), [8_010, 16_010, 30_010, 30_010]);
  harness.outcome = () => nothing;
  await harness.clock.advance(300_000);
  assert.equal(harness.times.length, 6, 'after a success nobody asks again');
  harness.refresher.again('s');
  harness.refresher.forget('s');
  await harness.clock.advance(300_000);
  assert.equal(harness.times.length, 6, 'nor for a server that is gone');
});

test('[CAT-14] first listings run four at a time, and one that hangs gives its place away', async () => {
  const harness = new Harness();
  harness.takesMs = (server) => (server.startsWith('hung') ? 1_000_000 : 10);
  for (const server of ['hung-1', 'hung-2', 'hung-3', 'hung-4', 'a', 'b', 'c', 'd', 'e'])
    harness.refresher.later(server);
  await harness.clock.advance(0);
  assert.equal(harness.servers.length, 4);
  const waiting = harness.refresher.settled(1_500);
  await harness.clock.advance(1_500);
  await waiting;
  await harness.clock.advance(100);
  assert.deepEqual(harness.servers.slice(4), ['a', 'b', 'c', 'd', 'e']);
  const settled = harness.refresher.settled(1_500);
  await harness.clock.advance(1_500);
  await settled;
  await harness.refresher.close();
});

test('[CAT-15] a server that became another one while it was first listed is listed again, and once', async () => {
  const harness = new Harness();
  harness.refresher.later('s');
  await harness.clock.advance(5);
  harness.refresher.laterAgain('s');
  harness.refresher.laterAgain('s');
  harness.refresher.later('s');
  await harness.clock.advance(100);
  assert.equal(harness.times.length, 2);
  harness.refresher.laterAgain('s');
  await harness.clock.advance(100);
  assert.equal(harness.times.length, 3);
});

test('closing ends what runs and starts nothing more', async () => {
  const harness = new Harness();
  harness.takesMs = () => 1_000_000;
  const running = assert.rejects(harness.refresher.now('s'), /is being closed/);
  harness.refresher.soon('other');
  await harness.refresher.close();
  await running;
  harness.refresher.later('third');
  harness.refresher.soon('fourth');
  await harness.clock.advance(10_000);
  assert.deepEqual(harness.servers, ['s']);
});

test('a change of the wall clock does not make an old link look new', async () => {
  const harness = new Harness();
  harness.clock.now = () => -1;
  const listing = harness.refresher.now('s');
  await harness.clock.advance(10);
  await listing;
  harness.refresher.onConnected('s', 5);
  await harness.clock.advance(100);
  assert.equal(harness.times.length, 1);
  harness.refresher.onConnected('s', 50);
  assert.equal(harness.times.length, 2, 'a younger link is listed');
  await harness.refresher.close();
});

/** When servers are listed, with a clock that the test moves: notices in storms, echoes, first listings, failures. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { ListingDiff } from '../store/store.ts';
import { Refresher } from './refresher.ts';

const nothing: ListingDiff = { added: [], updated: [], removed: [], unchanged: 5 };
const something: ListingDiff = { ...nothing, updated: ['a'] };

/** Listings that take 10 ms; `outcome` says what comes of each, `onList` what happens meanwhile. */
class Desk {
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
  const desk = new Desk();
  for (let at = 0; at < 50; at += 1) desk.refresher.soon('s');
  await desk.clock.advance(249);
  assert.deepEqual(desk.times, []);
  await desk.clock.advance(1);
  assert.deepEqual(desk.times, [250]);
  await desk.clock.advance(10_000);
  assert.deepEqual(desk.times, [250]);
  desk.refresher.soon('s');
  await desk.clock.advance(250);
  assert.equal(desk.times.length, 2, 'after a quiet time a notice is followed at once again');
});

/** Notices every 5 ms for so long. */
async function storm(desk: Desk, forMs: number): Promise<void> {
  for (let at = 0; at < forMs; at += 5) {
    desk.refresher.soon('s');
    await desk.clock.advance(5);
  }
}

test('[CAT-11] a storm that brings nothing new is followed ever more slowly', async () => {
  const desk = new Desk();
  await storm(desk, 2_000);
  assert.ok(desk.times.length <= 2, `${desk.times}`);
  await storm(desk, 60_000);
  assert.ok(desk.times.length <= 8, `${desk.times}`);
  const gaps = desk.times.slice(1).map((time, at) => time - (desk.times[at] ?? 0));
  assert.ok(
    gaps.every((gap, at) => at === 0 || gap >= (gaps[at - 1] ?? 0) - 5),
    `${gaps}`,
  );
});

test('[CAT-11] what a storm ends with is seen soon after it, and the next one is followed at once', async () => {
  const desk = new Desk();
  await storm(desk, 60_000);
  const before = desk.times.length;
  await desk.clock.advance(4_000);
  assert.equal(desk.times.length, before + 1, `${desk.times}`);
  await desk.clock.advance(60_000);
  assert.equal(desk.times.length, before + 1);
  for (let turn = 1; turn <= 5; turn += 1) {
    const lists = desk.times.length;
    await storm(desk, 300);
    assert.equal(desk.times.length, lists + 1, `storm ${turn}`);
    await storm(desk, 1_700);
    await desk.clock.advance(5_000);
    assert.ok(desk.times.length <= lists + 3, `${desk.times}`);
  }
});

test('[CAT-11] a server that storms anew after each listing is listed ever more slowly too, whatever calm lies between', async () => {
  for (const delayMs of [100, 500, 1_500]) {
    const desk = new Desk();
    desk.onList = () => {
      desk.clock.after(delayMs, () => {
        for (let notice = 0; notice < 20; notice += 1) desk.refresher.soon('s');
      });
    };
    desk.refresher.soon('s');
    await desk.clock.advance(600_000);
    assert.ok(desk.times.length <= 60, `${desk.times.length} lists with notices ${delayMs} ms after each`);
    await desk.refresher.close();
  }
});

test('[CAT-11] a storm of true changes is followed at least once a second', async () => {
  const desk = new Desk();
  desk.outcome = () => something;
  await storm(desk, 10_000);
  assert.ok(desk.times.length >= 10 && desk.times.length <= 12, `${desk.times}`);
});

test('[CAT-12] a notice that comes during a listing is followed once, and an echo not at all', async () => {
  const desk = new Desk();
  let echoes = 1;
  desk.onList = () => {
    if (echoes-- > 0) desk.refresher.soon('s');
  };
  await Promise.all([desk.refresher.now('s'), desk.clock.advance(20)]);
  await desk.clock.advance(10_000);
  assert.equal(desk.times.length, 2, 'the change may have come after the page was read');
  echoes = Number.POSITIVE_INFINITY;
  await Promise.all([desk.refresher.now('s'), desk.clock.advance(20)]);
  await desk.clock.advance(120_000);
  assert.equal(desk.times.length, 4, 'the listing, one more, and no loop');
});

test('[CAT-13] a listing that failed is tried again after 8, 16 and then every 30 seconds, until it succeeds', async () => {
  const desk = new Desk();
  desk.outcome = () => {
    desk.refresher.again('s');
    return new Error('broken');
  };
  const first = assert.rejects(desk.refresher.now('s'), /broken/);
  await desk.clock.advance(10);
  await first;
  await desk.clock.advance(90_000);
  const gaps = desk.times.slice(1).map((time, at) => time - (desk.times[at] ?? 0));
  assert.deepEqual(gaps.slice(0, 4), [8_010, 16_010, 30_010, 30_010]);
  desk.outcome = () => nothing;
  await desk.clock.advance(300_000);
  assert.equal(desk.times.length, 6, 'after a success nobody asks again');
  desk.refresher.again('s');
  desk.refresher.forget('s');
  await desk.clock.advance(300_000);
  assert.equal(desk.times.length, 6, 'nor for a server that is gone');
});

test('[CAT-14] first listings run four at a time, and one that hangs gives its place away', async () => {
  const desk = new Desk();
  desk.takesMs = (server) => (server.startsWith('hung') ? 1_000_000 : 10);
  for (const server of ['hung-1', 'hung-2', 'hung-3', 'hung-4', 'a', 'b', 'c', 'd', 'e']) desk.refresher.later(server);
  await desk.clock.advance(0);
  assert.equal(desk.servers.length, 4);
  const waiting = desk.refresher.settled(1_500);
  await desk.clock.advance(1_500);
  await waiting;
  await desk.clock.advance(100);
  assert.deepEqual(desk.servers.slice(4), ['a', 'b', 'c', 'd', 'e']);
  const settled = desk.refresher.settled(1_500);
  await desk.clock.advance(1_500);
  await settled;
  await desk.refresher.close();
});

test('[CAT-15] a server that became another one while it was first listed is listed again, and once', async () => {
  const desk = new Desk();
  desk.refresher.later('s');
  await desk.clock.advance(5);
  desk.refresher.laterAgain('s');
  desk.refresher.laterAgain('s');
  desk.refresher.later('s');
  await desk.clock.advance(100);
  assert.equal(desk.times.length, 2);
  desk.refresher.laterAgain('s');
  await desk.clock.advance(100);
  assert.equal(desk.times.length, 3);
});

test('closing ends what runs and starts nothing more', async () => {
  const desk = new Desk();
  desk.takesMs = () => 1_000_000;
  const running = assert.rejects(desk.refresher.now('s'), /is being closed/);
  desk.refresher.soon('other');
  await desk.refresher.close();
  await running;
  desk.refresher.later('third');
  desk.refresher.soon('fourth');
  await desk.clock.advance(10_000);
  assert.deepEqual(desk.servers, ['s']);
});

test('a change of the wall clock does not make an old link look new', async () => {
  const desk = new Desk();
  desk.clock.now = () => -1;
  const listing = desk.refresher.now('s');
  await desk.clock.advance(10);
  await listing;
  desk.refresher.onConnected('s', 5);
  await desk.clock.advance(100);
  assert.equal(desk.times.length, 1);
  desk.refresher.onConnected('s', 50);
  assert.equal(desk.times.length, 2, 'a younger link is listed');
  await desk.refresher.close();
});

/** A layer that follows the store: what it reads again, how often, and what happens while that fails. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import { type StoreEvent, StoreFollower } from './store.ts';

class Stage {
  readonly clock = new ManualClock();
  readonly events = new Signal<StoreEvent>();
  readonly store = { events: this.events, unheardSince: null as number | null };
  readonly warned: string[] = [];
  /** The servers that were named, by read. */
  readonly reads: (string | null)[][] = [];
  isDown = false;
  /** The next read waits for it. */
  gate: Promise<void> | undefined;
  readonly follower = new StoreFollower({
    store: this.store,
    clock: this.clock,
    log: { ...silentLog, warn: (message) => void this.warned.push(message) },
    subject: 'Listings',
    isMeant: ({ type }) => type === 'catalog',
    read: async (told) => {
      await this.gate;
      if (this.isDown) throw new Error('gone');
      this.reads.push(told.flatMap((event) => (event.type === 'catalog' ? [event.server] : [])));
    },
  });

  tell(...servers: readonly string[]): void {
    for (const server of servers) this.events.emit({ type: 'catalog', server });
  }

  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

test('changes that are told together, or during a read, are read together and once', async () => {
  const stage = new Stage();
  await stage.follower.open(async () => stage.tell('while it loads'));
  await stage.settled();
  const gate = Promise.withResolvers<void>();
  stage.gate = gate.promise;
  stage.tell('a', 'b', 'a');
  stage.events.emit({ type: 'servers' });
  await stage.settled();
  stage.tell('c', 'd', 'c');
  assert.notEqual(stage.follower.unreadSince, null);
  gate.resolve();
  await stage.settled();
  assert.deepEqual(stage.reads, [['while it loads'], ['a', 'b'], ['c', 'd']]);
  assert.equal(stage.follower.unreadSince, null);
});

test('a change that is told in the moment in which a read ends is read', async () => {
  for (let turns = 0; turns < 10; turns += 1) {
    const stage = new Stage();
    await stage.follower.open(async () => {});
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    stage.tell('late');
    await stage.settled();
    assert.deepEqual(stage.reads, [['late']], `${turns} turns after the start`);
  }
});

test('a read that failed is made again until it succeeds, with what was told meanwhile', async () => {
  const stage = new Stage();
  await stage.follower.open(async () => {});
  stage.isDown = true;
  stage.tell('a');
  await stage.settled();
  await stage.clock.advance(500);
  stage.tell('b');
  await stage.clock.advance(500);
  assert.deepEqual([stage.reads, stage.warned], [[], ['Listings cannot be read; the last ones stay in use']]);
  assert.equal(stage.follower.unreadSince, 0);
  stage.isDown = false;
  await stage.clock.advance(500);
  await stage.settled();
  assert.deepEqual([stage.reads, stage.follower.unreadSince], [[['a', 'b']], null]);
  stage.isDown = true;
  stage.tell('c');
  await stage.settled();
  assert.equal(stage.warned.length, 2, 'another outage is logged again');
  await stage.follower.close();
});

test('what could not be loaded is not followed, and nothing is read after the end', async () => {
  const stage = new Stage();
  await assert.rejects(
    stage.follower.open(() => Promise.reject(new Error('gone'))),
    /gone/,
  );
  assert.equal(stage.events.size, 0);
  await stage.follower.open(async () => {});
  stage.isDown = true;
  stage.tell('a');
  await stage.settled();
  await stage.follower.close();
  stage.isDown = false;
  await stage.clock.advance(1_000);
  assert.deepEqual([stage.reads, stage.events.size], [[], 0]);
});

test('what is told after a line was lost may have been so since then, until it is read', async () => {
  const stage = new Stage();
  await stage.follower.open(async () => {});
  await stage.clock.advance(1_000);
  const gate = Promise.withResolvers<void>();
  stage.gate = gate.promise;
  stage.tell('a');
  await stage.settled();
  stage.store.unheardSince = 100;
  stage.tell('b');
  stage.store.unheardSince = null;
  assert.equal(stage.follower.unreadSince, 100);
  gate.resolve();
  await stage.settled();
  assert.equal(stage.follower.unreadSince, null);
});

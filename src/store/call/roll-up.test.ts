/** A roll-up that ends anywhere: after each of its transactions, and in the middle of each. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { call, everything, expected, manyCalls, order } from '../../../test/kit/many-calls.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { createSqliteStore, type Store } from '../store.ts';
import type { RollUpReport } from './call.ts';
import type { StopFlag } from './paced-writer.ts';
import { rollUp } from './roll-up.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-roll-up-'));
});
after(() => rm(folder, { recursive: true }));

async function withStore(name: string, act: (store: Store, file: string) => Promise<void>): Promise<void> {
  const file = join(folder, name);
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  try {
    await act(store, file);
  } finally {
    await store.close();
  }
}

/** Fails at the so-manyth beginning or end of a write transaction. */
class FrailConnection extends DatabaseSync {
  #left = Number.POSITIVE_INFINITY;

  failAfter(acts: number): void {
    this.#left = acts;
  }

  override exec(sql: string): void {
    if (sql !== 'begin immediate' && sql !== 'commit') return super.exec(sql);
    this.#left -= 1;
    if (this.#left < 0) throw new Error('The process died.');
    super.exec(sql);
  }
}

function rollUpUntil(file: string, acts: number): RollUpReport | undefined {
  using connection = new FrailConnection(file);
  connection.failAfter(acts);
  try {
    return rollUp(connection, { ...order, expireBefore: order.now - 1 }, neverStopped());
  } catch (error) {
    assert.match(String(error), /died/);
    return undefined;
  }
}

const neverStopped = (): StopFlag => new Int32Array(new SharedArrayBuffer(4));

test('a roll-up that was cut short anywhere is taken up again, and every call is counted once', () =>
  withStore('cut.db', async (store, file) => {
    const calls = manyCalls(1_500);
    await store.appendRecords(calls.slice(0, 500));
    let written = 500;
    for (let acts = 0; ; acts += 1) {
      const report = rollUpUntil(file, acts);
      assert.deepEqual(await everything(store), expected(calls.slice(0, written)), `after ${acts}`);
      if (report !== undefined && written === calls.length) break;
      // Others come before it is taken up again.
      await store.appendRecords(calls.slice(written, written + 100));
      written = Math.min(calls.length, written + 100);
    }
    assert.equal((await store.listCallTallies(1)).unrolled, 0);
  }));

test('calls deleted after an interrupted roll-up are counted once and gone', () =>
  withStore('forgotten.db', async (store, file) => {
    const calls = manyCalls(900);
    for (let acts = 3; acts < 14; acts += 2) {
      await store.appendRecords(calls);
      rollUpUntil(file, acts);
      assert.equal((await store.forgetCalls({ server: 'server-1' })).forgotten, 300);
      assert.equal((await store.forgetCalls({})).forgotten, 600);
      assert.deepEqual(await everything(store), {});
      await store.appendRecords([call()]);
      rollUpUntil(file, acts);
      assert.deepEqual(await everything(store), expected([call()]));
      await store.forgetCalls({});
    }
  }));

test('a reset is processed once, and its rows count as removed', () =>
  withStore('reset.db', async (store, file) => {
    await store.appendRecords(manyCalls(300));
    using connection = new DatabaseSync(file);
    rollUp(connection, order, neverStopped());
    await store.forgetCalls({ server: 'server-1' });
    assert.deepEqual(rollUp(connection, order, neverStopped()), { rolledUp: 0, removed: 100, left: 0 });
    assert.deepEqual(connection.prepare('select * from call_reset').all(), []);
  }));

test('two roll-ups of two processes at once count nothing twice', () =>
  withStore('two.db', async (store, file) => {
    await store.appendRecords(manyCalls(1_000));
    using first = new FrailConnection(file);
    first.failAfter(3);
    assert.throws(() => rollUp(first, order, neverStopped()), /died/);
    rollUpUntil(file, Number.POSITIVE_INFINITY);
    await store.appendRecords(manyCalls(1_000));
    first.failAfter(Number.POSITIVE_INFINITY);
    assert.equal(rollUp(first, order, neverStopped()).rolledUp, 1_000);
    assert.deepEqual(await everything(store), expected([...manyCalls(1_000), ...manyCalls(1_000)]));
  }));

test('a roll-up that is told to stop ends soon, and the next one goes on', () =>
  withStore('stopped.db', async (store, file) => {
    await store.appendRecords(manyCalls(2_000));
    using connection = new DatabaseSync(file);
    const stop = neverStopped();
    Atomics.store(stop, 0, 1);
    assert.deepEqual(rollUp(connection, order, stop), { rolledUp: 0, removed: 0, left: 2_000 });
    const rolling = store.rollUpCalls(order);
    await store.close();
    await rolling;
    await store.open();
    assert.deepEqual(await everything(store), expected(manyCalls(2_000)));
  }));

/** The watch over promotions: simulated traffic under many seeds, and the test that decides. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeUpCall } from '../../test/kit/made-up-call.ts';
import { storeTest } from '../../test/kit/store-test.ts';
import type { JsonObject } from '../base/json.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { CallRecord, Store, StoredPromotion } from '../store/store.ts';
import { fisherLess, Watch } from './watch.ts';

const watchCalls = 200;
const seeds = Array.from({ length: 50 }, (_, seed) => seed + 1);

/** Shares of calls that succeed, and of queries for which another tool is called next. */
interface Use {
  readonly success: number;
  readonly confusion: number;
}

/** A promoted tool in use, with a watch over it. */
class Simulation {
  readonly recorded = new Signal<CallRecord>();
  reverted: JsonObject | undefined;
  promotion = { server: 's', toolName: 'a', candidateId: 'c1', promotedAt: 'now' } as StoredPromotion;
  before: CallRecord[] = [];
  isStoreDown = false;
  /** What it writes is stored, and nobody hears that. */
  losesAnswers = false;
  writes = 0;
  readonly #random: () => number;
  #sessions = 0;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  watch(): Watch {
    const watch = new Watch({
      promotions: {
        active: (_server, tool) => (tool === 'a' && !this.reverted ? this.promotion : undefined),
        revert: async (_promotion, _by, why) => {
          this.reverted = why;
        },
        changeWatch: async (_promotion, change) => {
          this.writes += 1;
          if (this.isStoreDown) throw new Error('The store is down.');
          const { watch } = this.promotion;
          if (watch && !this.reverted) this.promotion = { ...this.promotion, watch: change(watch) };
          if (this.losesAnswers) throw new Error('The connection was lost.');
        },
      },
      metrics: { recorded: this.recorded, recentCalls: async () => this.before },
      watchCalls: () => watchCalls,
      log: silentLog,
    });
    watch.open();
    return watch;
  }

  /** A session each: the tool is called for a query, and then perhaps another one for the same. */
  *calls(count: number, { success, confusion }: Use): Generator<CallRecord> {
    for (let at = 0; at < count; at += 1) {
      this.#sessions += 1;
      const session = String(this.#sessions);
      const outcome = this.#random() < success ? 'ok' : 'arguments';
      yield madeUpCall({ session, outcome, query: 'look it up' });
      const query = this.#random() < confusion ? 'look it up' : 'something else';
      yield madeUpCall({ session, tool: 'b', query });
    }
  }

  async run(before: Use, after: Use, callsBefore = 300): Promise<this> {
    this.before = [...this.calls(callsBefore, before)];
    const watch = this.watch();
    this.promotion = { ...this.promotion, watch: await watch.begin(this.promotion) };
    for (const call of this.calls(watchCalls, after)) this.recorded.emit(call);
    await watch.close();
    return this;
  }

  get why(): unknown {
    return this.reverted?.why;
  }
}

/** Equal numbers for equal seeds (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function revertsOf(before: Use, after: Use, callsBefore?: number): Promise<unknown[]> {
  const ended = await Promise.all(seeds.map((seed) => new Simulation(seed).run(before, after, callsBefore)));
  return ended.flatMap(({ why }) => (why === undefined ? [] : [why]));
}

const usual: Use = { success: 0.85, confusion: 0.15 };
const mostFalse = seeds.length * 0.05;

test('[OPT-40] a promotion with worse success or more confusion is reverted under every seed', async () => {
  const [unsuccessful, confusing] = [
    await revertsOf(usual, { ...usual, success: 0.6 }),
    await revertsOf(usual, { ...usual, confusion: 0.45 }),
  ];
  assert.deepEqual(
    unsuccessful,
    seeds.map(() => 'live success'),
  );
  assert.equal(confusing.length, seeds.length);
});

test('[OPT-40] a promotion that is as good as before is kept, however little was known before', async () => {
  for (const callsBefore of [5, 300])
    for (const success of [0.5, 0.85]) {
      const reverts = await revertsOf({ ...usual, success }, { ...usual, success }, callsBefore);
      assert.ok(reverts.length <= mostFalse, `${reverts.length} of ${seeds.length} after ${callsBefore} calls`);
    }
  assert.deepEqual(await revertsOf(usual, { success: 0.95, confusion: 0.05 }), []);
});

test('a watch goes on after a restart with what was counted, and ends after its calls', async () => {
  const simulation = new Simulation(1);
  simulation.before = [...simulation.calls(40, usual)];
  const first = simulation.watch();
  simulation.promotion = { ...simulation.promotion, watch: await first.begin(simulation.promotion) };
  for (const call of simulation.calls(7, { success: 1, confusion: 0 })) simulation.recorded.emit(call);
  await first.close();
  assert.deepEqual(simulation.promotion.watch?.after, { calls: 7, ok: 7, followed: 7, confused: 0 });
  const second = simulation.watch();
  for (const call of simulation.calls(193, { success: 1, confusion: 0 })) simulation.recorded.emit(call);
  const { state, after } = simulation.promotion.watch as { state: string; after: { calls: number } };
  assert.deepEqual([state, after.calls], ['kept', 200]);
  for (const call of simulation.calls(50, { success: 0, confusion: 1 })) simulation.recorded.emit(call);
  await second.close();
  assert.equal(simulation.why, undefined);
});

test('calls of other tools, and those that say nothing of a description, are not counted', async () => {
  const simulation = new Simulation(1);
  const watch = simulation.watch();
  simulation.promotion = { ...simulation.promotion, watch: await watch.begin(simulation.promotion) };
  for (const outcome of ['server', 'timeout', 'cancelled', 'refused'] as const)
    simulation.recorded.emit(madeUpCall({ outcome }));
  simulation.recorded.emit(madeUpCall({ way: 'plain' }));
  await watch.close();
  assert.equal(simulation.promotion.watch?.state, 'watching');
  assert.deepEqual(simulation.promotion.watch?.after, { calls: 0, ok: 0, followed: 0, confused: 0 });
});

/** A gateway that watches the one promotion of a shared store; `serve` counts calls, and reads what the others counted. */
async function watcherOn(store: Store, seed: number) {
  const simulation = new Simulation(seed);
  let [known] = await store.listPromotions();
  const reverts: JsonObject[] = [];
  const pending: Promise<unknown>[] = [];
  const watch = new Watch({
    promotions: {
      active: () => known,
      revert: async (_promotion, _by, why) => {
        reverts.push(why);
        await store.removePromotion('s', 'a');
      },
      changeWatch: (promotion, change) => {
        const changed = store.changeWatch(promotion, change);
        pending.push(changed);
        return changed;
      },
    },
    metrics: { recorded: simulation.recorded, recentCalls: async () => [] },
    watchCalls: () => 40,
    log: silentLog,
  });
  watch.open();
  const serve = async (count: number, success: number) => {
    [known] = await store.listPromotions();
    for (const call of simulation.calls(count, { success, confusion: 0 }))
      if (call.tool === 'a') simulation.recorded.emit(call);
    await Promise.all(pending);
  };
  return { serve, reverts, close: () => watch.close() };
}

async function watchedFigures(store: Store) {
  const [{ watch } = assert.fail('it was reverted')] = await store.listPromotions();
  return [watch?.state, (watch?.after as { calls?: number } | undefined)?.calls];
}

test('calls that could not be added to the figures are added with the next ones, and none counts twice', async () => {
  const simulation = new Simulation(1);
  const watch = simulation.watch();
  simulation.promotion = { ...simulation.promotion, watch: await watch.begin(simulation.promotion) };
  const serve = async (count: number) => {
    const calls = simulation.calls(count, { success: 1, confusion: 0 });
    for (const call of calls) if (call.tool === 'a') simulation.recorded.emit(call);
    await new Promise(setImmediate);
  };
  simulation.isStoreDown = true;
  await serve(25);
  assert.equal(simulation.writes, 2, 'it is not tried at each call');
  simulation.isStoreDown = false;
  await serve(5);
  assert.deepEqual(simulation.promotion.watch?.after, { calls: 30, ok: 30, followed: 0, confused: 0 });
  simulation.losesAnswers = true;
  await serve(10);
  simulation.losesAnswers = false;
  await serve(10);
  assert.deepEqual(simulation.promotion.watch?.after, { calls: 50, ok: 50, followed: 0, confused: 0 });
  await watch.close();
});

const before = { calls: 100, ok: 100, followed: 0, confused: 0 };
const watched = {
  ...{ server: 's', toolName: 'a', candidateId: 'c1', promotedAt: 'now' },
  watch: { state: 'watching', before, after: { calls: 0, ok: 0, followed: 0, confused: 0 } },
} as unknown as StoredPromotion;

storeTest('[REP-56] the calls at two gateways are watched as one, and a watch that ended stays so', async (store) => {
  await store.savePromotion(watched);
  const [one, other] = [await watcherOn(store, 1), await watcherOn(store, 2)];
  await one.serve(15, 1);
  await other.serve(15, 1);
  assert.deepEqual(await watchedFigures(store), ['watching', 20], 'both keep a few to themselves');
  await one.serve(5, 1);
  await other.serve(5, 1);
  assert.deepEqual(await watchedFigures(store), ['kept', 40]);
  await one.serve(20, 0);
  await other.serve(20, 0);
  await Promise.all([one.close(), other.close()]);
  assert.deepEqual(await watchedFigures(store), ['kept', 40]);
  assert.deepEqual([one.reverts, other.reverts], [[], []]);
});

storeTest('[REP-56] failures at two gateways, too few at each, revert a promotion once', async (store) => {
  await store.savePromotion(watched);
  const [one, other] = [await watcherOn(store, 1), await watcherOn(store, 2)];
  await one.serve(9, 0);
  await one.close();
  const next = await watcherOn(store, 3);
  await next.serve(1, 0);
  await other.serve(10, 0);
  await Promise.all([next.close(), other.close()]);
  assert.deepEqual(
    [next, other, one].map(({ reverts }) => reverts.map(({ after }) => after)),
    [[{ calls: 10, ok: 0, followed: 0, confused: 0 }], [], []],
  );
  assert.deepEqual(await store.listPromotions(), []);
});

test("Fisher's exact test gives the published values", () => {
  // Fisher's tea: 4 of 4 cups, and 3 of 4, named rightly.
  assert.ok(Math.abs(fisherLess(0, 4, 4, 4) - 1 / 70) < 1e-12);
  assert.ok(Math.abs(fisherLess(1, 4, 3, 4) - 17 / 70) < 1e-12);
  // R: fisher.test(matrix(c(1, 9, 11, 3), 2), alternative = "less").
  assert.ok(Math.abs(fisherLess(1, 10, 11, 14) - 0.001379728) < 1e-6);
  assert.equal(fisherLess(0, 10, 0, 0), 1);
  assert.equal(fisherLess(0, 0, 5, 5), 1);
  assert.ok(Math.abs(fisherLess(200, 200, 20_000, 20_000) - 1) < 1e-9);
});

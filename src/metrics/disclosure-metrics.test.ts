/** Counting what agents are shown: when it is written, what a store that refuses costs, and that nothing is counted twice. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { type DisclosureSum, dayOf } from '../store/store.ts';
import { DisclosureMetrics, disclosureWriteMs, mostWaitingSums } from './disclosure-metrics.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const busy = new GatewayError('STORE_BUSY', 'Locked.');

/** Keeps what it is given as it is: adding up is the contract of the real ones. */
class FakeStore {
  readonly batches: (readonly DisclosureSum[])[] = [];
  refusal: Error | undefined;
  /** Waited for before a write or a read is done. */
  gate: Promise<void> = Promise.resolve();

  async addDisclosure(sums: readonly DisclosureSum[]): Promise<void> {
    await this.gate;
    if (this.refusal !== undefined) throw this.refusal;
    this.batches.push(sums.map((sum) => ({ ...sum })));
  }

  async listDisclosure(since: number): Promise<DisclosureSum[]> {
    const found = this.batches.flat().filter(({ day }) => day >= since);
    await this.gate;
    return found;
  }
}

function setUp() {
  const store = new FakeStore();
  const clock = new ManualClock();
  const lines: string[] = [];
  const say = (level: string) => (event: string) => void lines.push(`${level}: ${event}`);
  const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  const disclosures = new DisclosureMetrics({ store, clock, log });
  const today = dayOf(clock.now());
  return { store, clock, lines, disclosures, today };
}

const list = { surface: 'search', kind: 'list', tokens: 700, directTokens: 9_000 } as const;
const find = { surface: 'search', kind: 'find', tokens: 500 } as const;
const chain = { surface: 'code', kind: 'chain', tokens: 300, calls: 12, directTokens: 4_000, project: 'work' } as const;

test('notes are added up in memory and written together, a few seconds after the first', async () => {
  const { store, clock, disclosures, today } = setUp();
  for (const note of [list, find, list, chain]) disclosures.note(note);
  await clock.advance(disclosureWriteMs - 1);
  assert.deepEqual(store.batches, []);
  await clock.advance(1);
  assert.deepEqual(store.batches, [
    [
      {
        day: today,
        project: null,
        surface: 'search',
        kind: 'list',
        count: 2,
        tokens: 1_400,
        calls: 0,
        directTokens: 18_000,
      },
      { day: today, project: null, surface: 'search', kind: 'find', count: 1, tokens: 500, calls: 0, directTokens: 0 },
      {
        day: today,
        project: 'work',
        surface: 'code',
        kind: 'chain',
        count: 1,
        tokens: 300,
        calls: 12,
        directTokens: 4_000,
      },
    ],
  ]);
  assert.deepEqual(clock.waits, [], 'nothing is planned while there is nothing to write');
  disclosures.note(find);
  await clock.advance(disclosureWriteMs);
  assert.equal(store.batches.length, 2);
});

test('waiting sums are in every answer, once', async () => {
  const { store, disclosures } = setUp();
  disclosures.note(find);
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  const asked = [disclosures.of({ days: 1 }), disclosures.of({ days: 1 })];
  disclosures.note(find);
  gate.resolve();
  for (const sums of await Promise.all(asked))
    assert.deepEqual(
      sums.map(({ count }) => count),
      [2],
    );
  assert.deepEqual(
    (await disclosures.of({ days: 1 })).map(({ count, tokens }) => [count, tokens]),
    [[2, 1_000]],
  );
});

test('a question goes back as many days as it says, today among them', async () => {
  const { clock, disclosures, today } = setUp();
  for (let at = 0; at < 3; at += 1) {
    disclosures.note(find);
    await clock.advance(dayMs);
  }
  const daysOf = async (days: number) => (await disclosures.of({ days })).map(({ day }) => day - today).sort();
  assert.deepEqual(await daysOf(1), []);
  assert.deepEqual(await daysOf(2), [2]);
  assert.deepEqual(await daysOf(3), [1, 2]);
  assert.deepEqual(await daysOf(30), [0, 1, 2]);
});

test('while the store refuses, notes wait and are counted, and it is said once', async () => {
  const { store, clock, lines, disclosures } = setUp();
  store.refusal = busy;
  disclosures.note(find);
  await clock.advance(3 * disclosureWriteMs);
  disclosures.note(find);
  assert.deepEqual(
    (await disclosures.of({ days: 1 })).map(({ count }) => count),
    [2],
  );
  assert.deepEqual(lines, ['warn: Metrics of what agents are shown cannot be stored for now; they wait']);
  store.refusal = undefined;
  await clock.advance(disclosureWriteMs);
  assert.deepEqual(
    store.batches.map((batch) => batch.map(({ count }) => count)),
    [[2]],
  );
  assert.equal(disclosures.dropped, 0);
});

test('sums that no store accepts are dropped, so that later ones are written', async () => {
  const { store, clock, lines, disclosures } = setUp();
  store.refusal = new TypeError('NaN');
  disclosures.note({ ...find, tokens: Number.NaN });
  await clock.advance(disclosureWriteMs);
  store.refusal = undefined;
  disclosures.note(find);
  await clock.advance(disclosureWriteMs);
  assert.deepEqual(
    store.batches.flat().map(({ tokens }) => tokens),
    [500],
  );
  assert.deepEqual([disclosures.dropped, lines], [1, ['error: What agents were shown cannot be written down']]);
});

test('the memory is bounded: what finds no room is not counted, what has a place still is', async () => {
  const { store, clock, disclosures } = setUp();
  store.refusal = busy;
  for (let at = 0; at < mostWaitingSums + 5; at += 1) disclosures.note({ ...find, project: `p${at}` });
  disclosures.note({ ...find, project: 'p0' });
  assert.equal(disclosures.dropped, 5);
  store.refusal = undefined;
  await clock.advance(2 * disclosureWriteMs);
  assert.deepEqual([store.batches.flat().length, store.batches.flat()[0]?.count], [mostWaitingSums, 2]);
});

test('closing writes what waits, again and again does no harm, and what comes later is dropped', async () => {
  const { store, clock, disclosures } = setUp();
  disclosures.note(find);
  await Promise.all([disclosures.close(), disclosures.close()]);
  disclosures.note(find);
  await disclosures.close();
  assert.deepEqual(
    store.batches.map((batch) => batch.map(({ count }) => count)),
    [[1]],
  );
  assert.deepEqual([disclosures.dropped, clock.waits], [1, []]);
});

test('losses at the end are reported', async () => {
  const { store, lines, disclosures } = setUp();
  store.refusal = busy;
  disclosures.note(find);
  await disclosures.close();
  assert.equal(lines.at(-1), 'warn: What agents were shown is lost, because the store refuses it');
});

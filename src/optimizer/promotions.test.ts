/** Promotions in effect, over a real catalog: what agents read, what survives, and what the audit holds. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeHarness } from '../../test/kit/change-harness.ts';
import { madeUpCall } from '../../test/kit/made-up-call.ts';
import { eventually } from '../../test/kit/processes.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import { wordingFingerprint } from '../catalog/catalog.ts';
import type { CallRecord, StoredPromotion, StoreEvent } from '../store/store.ts';
import { Promotions } from './promotions.ts';

const metrics = { directSuccess: 1, indirectSuccess: 1, negativeSuccess: 1, overall: 1 };
const [own, better] = ['To look.', 'Shows what is in a folder.'];

class Setup {
  readonly stored = new Map<string, StoredPromotion>();
  readonly events = new Signal<StoreEvent>();
  readonly audited: { readonly action: string; readonly by: string; readonly detail: unknown }[] = [];
  readonly recorded = new Signal<CallRecord>();
  calls: CallRecord[] = [];
  reads = 0;
  isOn = true;
  readonly harness = new ChangeHarness({ surface: 'direct' });
  readonly promotions: Promotions;

  constructor() {
    const { events, stored } = this;
    const key = (server: string, tool: string) => `${server}:${tool}`;
    this.promotions = new Promotions({
      store: {
        events,
        listPromotions: async (server) => {
          this.reads += 1;
          return [...stored.values()].filter((one) => server === undefined || one.server === server);
        },
        savePromotion: async (promotion) => {
          stored.set(key(promotion.server, promotion.toolName), promotion);
          events.emit({ type: 'promotions' });
        },
        changeWatch: async ({ server, toolName, candidateId }, change) => {
          const kept = stored.get(key(server, toolName));
          if (kept?.candidateId !== candidateId || !kept.watch) return;
          stored.set(key(server, toolName), { ...kept, watch: change(kept.watch) });
          events.emit({ type: 'promotions', server });
        },
        removePromotion: async (server, tool) => {
          const wasThere = stored.delete(key(server, tool));
          if (wasThere) events.emit({ type: 'promotions' });
          return wasThere;
        },
      },
      catalog: this.harness.catalog,
      audit: {
        list: () => assert.fail('nobody asks for it'),
        record: async ({ action, principal, detail }) => {
          this.audited.push({ action, by: principal.name, detail });
        },
      },
      metrics: { recorded: this.recorded, recentCalls: async () => this.calls },
      watchCalls: () => 20,
      clock: systemClock,
      log: silentLog,
      isOn: () => this.isOn,
    });
  }

  async open(): Promise<this> {
    await this.harness.open({ a: {}, b: {} });
    await this.promotions.open();
    return this;
  }

  /** The description that agents read. */
  shown(key = 'a:look'): unknown {
    return this.harness.catalog.snapshot.tools.get(key)?.definition.description;
  }

  promotion(parts: Partial<StoredPromotion> = {}): StoredPromotion {
    const definition = { name: 'look', description: own, inputSchema: {} };
    return {
      ...{ server: 'a', toolName: 'look', candidateId: 'c1', promotedAt: '2026-01-01T00:00:00.000Z' },
      ...{ description: better, metrics, baseline: metrics, counts: {}, judge: 'search', by: 'owner' },
      fingerprint: wordingFingerprint(definition),
      evidence: 'paired',
      ...parts,
    };
  }

  get acts(): string[] {
    return this.audited.map(({ action, by }) => `${action} by ${by}`);
  }
}

test('what is promoted is read at once and after a restart, by no other tool, until it is reverted', async () => {
  const setup = await new Setup().open();
  await setup.promotions.promote(setup.promotion());
  assert.deepEqual([setup.shown(), setup.shown('b:look')], [better, own]);
  assert.equal(setup.promotions.stateOf({ server: 'a', toolName: 'look' }), 'active');
  await setup.promotions.close();
  const again = new Setup();
  for (const [key, promotion] of setup.stored) again.stored.set(key, promotion);
  await again.open();
  assert.equal(again.shown(), better);
  assert.equal((await again.promotions.revert({ server: 'a', toolName: 'look' }, 'ann'))?.candidateId, 'c1');
  assert.deepEqual([again.shown(), again.promotions.list()], [own, []]);
  assert.equal(await again.promotions.revert({ server: 'a', toolName: 'look' }, 'ann'), undefined);
  assert.deepEqual([setup.acts, again.acts], [['description.promoted by owner'], ['description.reverted by ann']]);
});

test('a promotion by another gateway is read as soon as the store tells of it', async () => {
  const setup = await new Setup().open();
  setup.stored.set('a:look', setup.promotion());
  setup.events.emit({ type: 'promotions' });
  await eventually('the promotion is read', () => setup.shown() === better || undefined);
  await setup.promotions.close();
});

test('figures that another gateway adds are read alone: descriptions and states stay as they are', async (context) => {
  const setup = new Setup();
  setup.stored.set('a:look', setup.promotion());
  await setup.open();
  const reword = context.mock.method(setup.harness.catalog, 'reword');
  const figuresOf = (server: string) => setup.promotions.find(server, 'look')?.watch?.after;
  for (const server of ['a', 'b']) {
    setup.stored.set(`${server}:look`, setup.promotion({ server, watch: { state: 'watching', after: { calls: 7 } } }));
    setup.events.emit({ type: 'promotions', server, isOthers: true });
  }
  await eventually('the figures are read', () => JSON.stringify(figuresOf('a')) === '{"calls":7}' || undefined);
  assert.equal(reword.mock.callCount(), 0);
  assert.equal(setup.promotions.find('b', 'look'), undefined, 'a new promotion is told by itself');
  await setup.promotions.close();
});

test('calls are listened to only from the first promotion on, and not after the end', async () => {
  const setup = await new Setup().open();
  assert.equal(setup.recorded.size, 0);
  await setup.promotions.promote(setup.promotion());
  assert.equal(setup.recorded.size, 1);
  await setup.promotions.close();
  assert.equal(setup.recorded.size, 0);
});

test('while it is off nothing is read from the store, and switching it brings promotions and takes them away', async () => {
  const setup = new Setup();
  setup.isOn = false;
  setup.stored.set('a:look', setup.promotion());
  await setup.open();
  assert.deepEqual([setup.shown(), setup.reads], [own, 0]);
  for (const [isOn, shown] of [
    [true, better],
    [false, own],
  ] as const) {
    setup.isOn = isOn;
    setup.harness.set({});
    await setup.promotions.revert({ server: 'no', toolName: 'such' }, 'ann');
    assert.equal(setup.shown(), shown);
  }
  assert.deepEqual(setup.acts, []);
});

test('a promotion for another wording is suspended; one that is forced says who and why', async () => {
  const setup = await new Setup().open();
  await setup.promotions.promote(setup.promotion({ fingerprint: 'another', forced: true, why: 'It is ours.' }));
  assert.deepEqual([setup.shown(), setup.promotions.stateOf({ server: 'a', toolName: 'look' })], [own, 'suspended']);
  const { detail } = setup.audited[0] ?? {};
  assert.deepEqual([(detail as StoredPromotion).forced, (detail as StoredPromotion).why], [true, 'It is ours.']);
  const gone = setup.promotion({ server: 'gone' });
  await setup.promotions.promote(gone);
  assert.equal(setup.promotions.stateOf(gone), 'absent');
});

test('a store that fails changes nothing of what agents read', async () => {
  const setup = await new Setup().open();
  await setup.promotions.promote(setup.promotion());
  setup.stored.values = () => {
    throw new Error('The disk is full.');
  };
  setup.events.emit({ type: 'promotions' });
  await assert.rejects(setup.promotions.promote(setup.promotion({ description: 'Other.' })), /disk is full/);
  assert.equal(setup.shown(), better);
});

test('a promotion that does worse in real use is reverted by itself, with the figures in the audit', async () => {
  const setup = await new Setup().open();
  const call = (parts: Partial<CallRecord>) => madeUpCall({ server: 'a', tool: 'look', ...parts });
  setup.calls = Array.from({ length: 50 }, () => call({ outcome: 'ok' }));
  await setup.promotions.promote(setup.promotion());
  for (let at = 0; at < 10; at += 1) setup.recorded.emit(call({ outcome: 'arguments' }));
  await setup.promotions.close();
  assert.deepEqual([setup.shown(), setup.stored.size], [own, 0]);
  const { action, by, detail } = setup.audited.at(-1) ?? {};
  assert.deepEqual([action, by], ['description.reverted', 'gateway']);
  const { pValue, ...figures } = detail as { readonly pValue: number };
  assert.deepEqual(figures, {
    candidateId: 'c1',
    why: 'live success',
    before: { calls: 50, ok: 50, followed: 0, confused: 0 },
    after: { calls: 10, ok: 0, followed: 0, confused: 0 },
  });
  assert.ok(pValue < 1e-6);
});

test('the figures of the watch are kept with their promotion, and not with its successor', async () => {
  const setup = await new Setup().open();
  const first = setup.promotion();
  await setup.promotions.promote(first);
  await setup.promotions.changeWatch(first, () => ({ calls: 3 }));
  assert.deepEqual(setup.stored.get('a:look')?.watch, { calls: 3 });
  await setup.promotions.promote(setup.promotion({ candidateId: 'c2' }));
  await setup.promotions.changeWatch(first, () => ({ calls: 4 }));
  assert.equal(setup.stored.get('a:look')?.watch?.state, 'watching');
  assert.equal(await setup.promotions.revert(first, null), undefined);
  assert.equal(setup.shown(), better);
});

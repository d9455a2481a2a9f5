/** Tests of call metrics on a real store: figures at once, bounded in number, the same after a restart, and gone after a reset. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, mock, test } from 'node:test';
import { madeUpCall } from '../../test/kit/made-up-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { soleReplica } from '../../test/kit/sole-replica.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { createSqliteStore, RecordWriter, type Store } from '../store/store.ts';
import { CallMetrics, KnownTools, mostTools } from './call-metrics.ts';
import { outcomeKinds } from './call-record.ts';
import { leastPauseMs, rollUpAtCalls } from './roll-up-plan.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** How long the writer lets a record wait for a store that refuses. */
const recordWaitMs = 2_000;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-metrics-'));
});
after(() => rm(folder, { recursive: true }));

interface Harness {
  readonly metrics: CallMetrics;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly file: string;
  /** Other metrics on the same store. */
  again(): Promise<CallMetrics>;
}

async function withMetrics(name: string, act: (harness: Harness) => Promise<void>): Promise<void> {
  const file = join(folder, `${name}.db`);
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  const clock = new ManualClock();
  await store.open();
  const writers: RecordWriter[] = [];
  const again = async () => {
    const writer = new RecordWriter({ store, clock, log: silentLog });
    writers.push(writer);
    const metrics = new CallMetrics({
      store,
      writer,
      clock,
      log: silentLog,
      retentionDays: () => 7,
      replicas: soleReplica(clock),
    });
    await metrics.open();
    return metrics;
  };
  const metrics = await again();
  try {
    await act({ metrics, store, clock, file, again });
  } finally {
    await metrics.close();
    for (const writer of writers) await writer.close();
    await store.close();
  }
}

test('the figures of a tool: outcomes, success, durations, and what was last', () =>
  withMetrics('figures', async ({ metrics, again }) => {
    const at = madeUpCall().at;
    for (let number = 1; number <= 100; number += 1) await metrics.record(madeUpCall({ ms: number, at: at + number }));
    for (const outcome of outcomeKinds.slice(1))
      await metrics.record(madeUpCall({ outcome, ms: 500, at: at + 200, errorType: 'TIMEOUT', error: `${outcome}!` }));
    await metrics.record(madeUpCall({ isCached: true, ms: 0, at: at + 300 }));
    const figures = metrics.of('s:a');
    assert.ok(figures);
    const { p50Ms, p95Ms, p99Ms, ...rest } = figures;
    assert.deepEqual(rest, {
      toolKey: 's:a',
      server: 's',
      tool: 'a',
      callCount: 107,
      outcomes: { ok: 101, arguments: 1, tool: 1, server: 1, timeout: 1, cancelled: 1, refused: 1 },
      successRate: 101 / 104,
      avgLatencyMs: Math.round((5_550 / 101) * 1_000) / 1_000,
      cachedCount: 1,
      lastCalledAt: at + 300,
      lastOkAt: at + 100,
      lastError: { at: at + 200, errorType: 'TIMEOUT', message: 'timeout!' },
      failuresInARow: 3,
    });
    for (const [found, exact] of [
      [p50Ms, 51],
      [p95Ms, 96],
      [p99Ms, 100],
    ] as const)
      assert.ok(Math.abs((found ?? 0) - exact) <= exact * 0.05, `${found} for ${exact}`);
    assert.deepEqual((await again()).of('s:a'), figures);
    assert.equal(metrics.of('s:unknown'), undefined);
  }));

test('without a call that says something about a tool it has no rate and no duration', () =>
  withMetrics('nothing', async ({ metrics }) => {
    await metrics.record(madeUpCall({ outcome: 'refused' }));
    const { callCount, successRate, avgLatencyMs, p50Ms, lastOkAt, lastError } = metrics.of('s:a') ?? {};
    assert.deepEqual(
      [callCount, successRate, avgLatencyMs, p50Ms, lastOkAt, lastError],
      [1, null, null, null, null, null],
    );
  }));

test('the figures are the same before and after a roll-up, and after a restart', () =>
  withMetrics('rolled-up', async ({ metrics, again }) => {
    for (let number = 0; number < 300; number += 1)
      await metrics.record(madeUpCall({ tool: `tool-${number % 7}`, ms: number, outcome: number % 3 ? 'ok' : 'tool' }));
    const before = metrics.query({});
    assert.deepEqual(await metrics.rollUp(), { rolledUp: 300, removed: 0, left: 0 });
    assert.deepEqual(metrics.query({}), before);
    assert.equal(metrics.status.unrolled, 0);
    const next = await again();
    assert.deepEqual(sorted(next.query({})), sorted(before));
  }));

test('tools are chosen by use, by reliability and by failure', () =>
  withMetrics('chosen', async ({ metrics }) => {
    const record = async (server: string, tool: string, ok: number, failed: number) => {
      for (let at = 0; at < ok; at += 1) await metrics.record(madeUpCall({ server, tool }));
      for (let at = 0; at < failed; at += 1) await metrics.record(madeUpCall({ server, tool, outcome: 'tool' }));
    };
    await record('s', 'much', 30, 10);
    await record('s', 'good', 20, 0);
    await record('t', 'new', 1, 0);
    await record('t', 'bad', 1, 4);
    await metrics.record(madeUpCall({ server: 't', tool: 'silent', outcome: 'cancelled' }));
    const names = (query: Parameters<CallMetrics['query']>[0]) => metrics.query(query).map(({ tool }) => tool);
    assert.deepEqual(names({ top: 2 }), ['much', 'good']);
    assert.deepEqual(names({ by: 'reliability', top: 3 }), ['good', 'much', 'new']);
    assert.deepEqual(names({ failingBelow: 0.8 }), ['bad', 'much']);
    assert.deepEqual(names({ failingBelow: 0.8, minCalls: 6 }), ['much']);
    assert.deepEqual(names({ server: 't', tool: 'new' }), ['new']);
    assert.deepEqual(names({ server: 'unknown' }), []);
  }));

test('days are told for a tool, a server and all, rolled up or not', () =>
  withMetrics('days', async ({ metrics, clock }) => {
    const today = clock.now();
    for (const [tool, daysAgo] of [
      ['a', 0],
      ['a', 1],
      ['a', 1],
      ['b', 1],
      ['a', 40],
    ] as const)
      await metrics.record(madeUpCall({ tool, at: today - daysAgo * dayMs }));
    await metrics.record(madeUpCall({ server: 't', at: today }));
    const check = async () => {
      const found = async (target: string | undefined, lastDays: number) =>
        (await metrics.days(target, lastDays)).map(({ day, callCount, p50Ms }) => [day, callCount, p50Ms !== null]);
      assert.deepEqual(await found('s:a', 30), [
        ['2025-12-31', 2, true],
        ['2026-01-01', 1, true],
      ]);
      assert.deepEqual(await found('s', 2), [
        ['2025-12-31', 3, true],
        ['2026-01-01', 1, true],
      ]);
      assert.deepEqual(await found(undefined, 1), [['2026-01-01', 2, true]]);
      assert.equal((await metrics.days(undefined, 50)).length, 3);
      const counts = [['s'], ['s:a'], ['s:a', 's:b'], ['s', 't'], ['nobody'], []].map(async (targets) => {
        const { callCount, p95Ms } = await metrics.recent(targets, 7);
        return [callCount, p95Ms !== null];
      });
      assert.deepEqual(await Promise.all(counts), [
        [4, true],
        [3, true],
        [4, true],
        [5, true],
        [0, false],
        [0, false],
      ]);
      assert.deepEqual([metrics.callCountOf('s:a'), metrics.callCountOf('s:none')], [4, 0]);
    };
    await check();
    await metrics.rollUp();
    await check();
  }));

test('sequences, queries and taken suggestions are told, the most frequent first', () =>
  withMetrics('pairs', async ({ metrics }) => {
    const calls = [
      madeUpCall({ tool: 'b', previous: 's:a', query: 'q' }),
      madeUpCall({ tool: 'b', previous: 's:a', query: 'q', outcome: 'tool' }),
      madeUpCall({ tool: 'b', previous: 's:a' }),
      madeUpCall({ tool: 'b', previous: 's:a' }),
      madeUpCall({ tool: 'c', previous: 's:a', suggestedFor: 's:x' }),
      madeUpCall({ tool: 'c', previous: 's:b', suggestedFor: 's:x', outcome: 'timeout' }),
      madeUpCall({ tool: 'd', previous: 's:b', query: 'other' }),
    ];
    for (const one of calls) await metrics.record(one);
    const check = async () => {
      assert.deepEqual(await metrics.sequences({ toolKey: 's:a' }), [
        { before: 's:a', after: 's:b', count: 3, share: 0.75 },
        { before: 's:a', after: 's:c', count: 1, share: 0.25 },
      ]);
      assert.equal((await metrics.sequences({})).length, 3);
      assert.deepEqual(await metrics.sequences({ limit: 1 }), [{ before: 's:a', after: 's:b', count: 3, share: 0.75 }]);
      assert.deepEqual(await metrics.queries({ toolKey: 's:b' }), [{ query: 'q', toolKey: 's:b', count: 2, ok: 1 }]);
      assert.deepEqual(await metrics.queries({ limit: 1 }), [{ query: 'q', toolKey: 's:b', count: 2, ok: 1 }]);
      assert.deepEqual(await metrics.suggestions({}), [{ failed: 's:x', suggested: 's:c', taken: 2, worked: 1 }]);
    };
    await check();
    await metrics.rollUp();
    await check();
  }));

test('a reset forgets a tool, a server or all, here and in the store', () =>
  withMetrics('reset', async ({ metrics, again }) => {
    for (let number = 0; number < 20; number += 1) await metrics.record(madeUpCall({ tool: number % 2 ? 'a' : 'b' }));
    await metrics.rollUp();
    await metrics.record(madeUpCall());
    assert.equal(await metrics.reset({ server: 's', tool: 'a' }), 11);
    await metrics.record(madeUpCall());
    for (const one of [metrics, await again()])
      assert.deepEqual([one.of('s:a')?.callCount, one.of('s:b')?.callCount], [1, 10]);
    assert.equal(await metrics.reset({ server: 'other' }), 0);
    assert.equal(await metrics.reset({}), 11);
    assert.deepEqual([metrics.query({}), (await again()).query({})], [[], []]);
    await assert.rejects(metrics.reset({ tool: 'a' }), { code: 'USAGE' });
  }));

test('after resets nothing waits to be rolled up, and no roll-up follows another', () =>
  withMetrics('reset-count', async ({ metrics, store, clock }) => {
    const rollUps = mock.method(store, 'rollUpCalls').mock;
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(Array.from({ length: rollUpAtCalls - 1 }, () => metrics.record(madeUpCall())));
      assert.equal(await metrics.reset({}), rollUpAtCalls - 1);
      assert.equal(metrics.status.unrolled, 0);
      await metrics.rollUp();
    }
    const before = rollUps.callCount();
    for (let at = 0; at < 20; at += 1) await clock.advance(leastPauseMs);
    assert.equal(rollUps.callCount(), before);
  }));

test('calls that are recorded during a reset are forgotten or kept, but the same here and in the store', () =>
  withMetrics('reset-during', async ({ metrics, again }) => {
    let [recorded, forgotten] = [0, 0];
    for (let round = 0; round < 20; round += 1) {
      const resetting = metrics.reset({ server: 's' });
      const records: Promise<void>[] = [];
      for (let number = 0; number < 20; number += 1) {
        records.push(metrics.record(madeUpCall()));
        if (number % 5 === round % 5) await Promise.resolve();
      }
      forgotten += await resetting;
      await Promise.all(records);
      recorded += records.length;
      assert.equal(metrics.of('s:a')?.callCount ?? 0, recorded - forgotten);
      assert.equal((await again()).of('s:a')?.callCount ?? 0, recorded - forgotten);
    }
  }));

test('a store that is locked holds up no call, and gets every row afterwards', () =>
  withMetrics('locked', async ({ metrics, clock, file, again }) => {
    using other = new DatabaseSync(file);
    other.exec('begin immediate');
    const records = Array.from({ length: 50 }, () => metrics.record(madeUpCall()));
    await clock.awaited(recordWaitMs);
    await clock.advance(2 * recordWaitMs);
    await Promise.all(records);
    await metrics.record(madeUpCall());
    assert.equal(metrics.of('s:a')?.callCount, 51, 'Each is counted once, also while its row waits.');
    assert.deepEqual([metrics.status.queued, metrics.status.isRefusing], [51, true]);
    other.exec('commit');
    await clock.advance(5_000);
    assert.deepEqual([metrics.status.queued, metrics.status.dropped, metrics.status.isRefusing], [0, 0, false]);
    assert.equal((await again()).of('s:a')?.callCount, 51);
  }));

test('records that come while the metrics open are counted once', () =>
  withMetrics('opening', async ({ metrics, store, clock }) => {
    await metrics.record(madeUpCall());
    const writer = new RecordWriter({ store, clock, log: silentLog });
    const next = new CallMetrics({
      store,
      writer,
      clock,
      log: silentLog,
      retentionDays: () => 7,
      replicas: soleReplica(clock),
    });
    const opening = next.open();
    await Promise.all([next.record(madeUpCall()), opening, next.record(madeUpCall())]);
    assert.equal(next.of('s:a')?.callCount, 3);
  }));

test('a record whose numbers make no sense, or whose texts are too long, is tidied and never rejected', () =>
  withMetrics('tidied', async ({ metrics, again }) => {
    const odd = { ms: Number.NaN, at: Number.NaN, requestBytes: -1, resultBytes: Number.POSITIVE_INFINITY };
    await metrics.record(madeUpCall({ ...odd, query: 'é'.repeat(1_000) }));
    await metrics.record(madeUpCall({ ms: -5, outcome: 'tool', error: 'x'.repeat(5_000) }));
    assert.equal(metrics.of('s:a')?.lastError?.message.length, 200);
    assert.equal((await metrics.queries({}))[0]?.query.length, 300);
    assert.deepEqual((await again()).of('s:a'), metrics.of('s:a'));
    assert.equal(metrics.status.dropped, 0);
  }));

function sorted<T extends { readonly toolKey: string }>(tools: readonly T[]): T[] {
  return tools.toSorted((a, b) => (a.toolKey < b.toolKey ? -1 : 1));
}

test('100,000 tools are not all kept, but those that were called last are', () => {
  const tools = new KnownTools();
  tools.add(madeUpCall({ tool: 'often' }));
  for (let number = 0; number < 100_000; number += 1) {
    tools.add(madeUpCall({ tool: `tool-${number}` }));
    if (number % 1_000 === 0) tools.add(madeUpCall({ tool: 'often' }));
  }
  assert.equal(tools.size, mostTools);
  assert.equal(tools.letGo, 100_001 - mostTools);
  assert.equal(tools.get('s:often')?.tally.count, 101);
  assert.equal(tools.get('s:tool-99999')?.tally.count, 1);
  assert.equal(tools.get('s:tool-0'), undefined);
});

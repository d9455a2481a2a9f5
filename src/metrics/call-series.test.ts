/** Tests of calls over time on a real store: in steps without gaps, and the last hour at once. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { madeUpCall } from '../../test/kit/made-up-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { soleReplica } from '../../test/kit/sole-replica.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { createSqliteStore, RecordWriter } from '../store/store.ts';
import { CallMetrics } from './call-metrics.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-series-'));
});
after(() => rm(folder, { recursive: true }));

interface Harness {
  readonly metrics: CallMetrics;
  readonly clock: ManualClock;
  /** Other metrics on the same store. */
  again(): Promise<CallMetrics>;
}

async function withMetrics(name: string, act: (harness: Harness) => Promise<void>): Promise<void> {
  const store = createSqliteStore({ file: join(folder, `${name}.db`), clock: systemClock, log: silentLog });
  const clock = new ManualClock();
  await store.open();
  const writer = new RecordWriter({ store, clock, log: silentLog });
  const opened: CallMetrics[] = [];
  const again = async () => {
    const metrics = new CallMetrics({
      store,
      writer,
      clock,
      log: silentLog,
      retentionDays: () => 7,
      replicas: soleReplica(clock),
    });
    opened.push(metrics);
    await metrics.open();
    return metrics;
  };
  try {
    await act({ metrics: await again(), clock, again });
  } finally {
    for (const metrics of opened) await metrics.close();
    await writer.close();
    await store.close();
  }
}

test('calls over time come in steps without gaps, of which the last one is still going on', () =>
  withMetrics('series', async ({ metrics, clock }) => {
    const now = clock.now() + 90_000;
    await clock.advance(90_000);
    const ago = (ms: number, more = {}) => metrics.record(madeUpCall({ at: now - ms, ms: 20, ...more }));
    await ago(0);
    await ago(60_000, { outcome: 'tool' });
    await ago(3 * hourMs, { isCached: true });
    await ago(48 * hourMs, { server: 'other' });
    const counts = async (...query: Parameters<CallMetrics['series']>) => {
      const { steps, isComplete } = await metrics.series(...query);
      assert.equal(isComplete, true);
      return [
        steps.length,
        steps[0]?.start,
        steps
          .map(({ callCount }) => callCount)
          .join('')
          .replace(/^0+/, ''),
      ];
    };
    assert.deepEqual(await counts({}, 'hour'), [60, '2025-12-31T23:02:00.000Z', '11']);
    assert.deepEqual(await counts({}, 'day'), [24, '2025-12-31T01:00:00.000Z', '1002']);
    assert.deepEqual(await counts({}, 'month'), [30, '2025-12-03T00:00:00.000Z', '112']);
    assert.deepEqual((await counts({ server: 'other', tool: 'a' }, 'month')).at(-1), '100');
    const { steps } = await metrics.series({}, 'hour');
    const { callCount, outcomes, p50Ms, cachedCount } = steps.at(-2) ?? {};
    assert.deepEqual([callCount, outcomes?.tool, Math.round(p50Ms ?? 0), cachedCount], [1, 1, 20, 0]);
  }));

test('the last hour is at hand by minute, the same after a restart and without what was forgotten', () =>
  withMetrics('last-hour', async ({ metrics, clock, again }) => {
    const now = () => clock.now();
    const shown = (of = metrics) =>
      of.lastHour().flatMap(({ start, callCount, outcomes }) => {
        const ago = (Math.floor(now() / minuteMs) * minuteMs - Date.parse(start)) / minuteMs;
        return callCount === 0 ? [] : [[ago, callCount, outcomes.ok]];
      });
    assert.equal(metrics.lastHour().length, 60);
    for (const ago of [0, 1, 1, 59, 60, 61])
      await metrics.record(madeUpCall({ at: now() - ago * minuteMs, outcome: ago === 59 ? 'tool' : 'ok' }));
    await metrics.record(madeUpCall({ at: now(), server: 'other', outcome: 'timeout' }));
    const everything = [
      [59, 1, 0],
      [1, 2, 2],
      [0, 2, 1],
    ];
    assert.deepEqual(shown(), everything);
    assert.deepEqual(shown(await again()), everything);
    await clock.advance(minuteMs);
    await metrics.record(madeUpCall({ at: now() }));
    assert.deepEqual(shown(), [
      [2, 2, 2],
      [1, 2, 1],
      [0, 1, 1],
    ]);
    const told: unknown[] = [];
    metrics.forgotten.on(() => told.push(shown()));
    await metrics.reset({ server: 's' });
    assert.deepEqual(shown(), [[1, 1, 0]]);
    assert.deepEqual(told, [shown()], 'who is told finds them gone');
    await clock.advance(60 * minuteMs);
    assert.deepEqual(shown(), []);
  }));

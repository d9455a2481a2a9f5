/** The store under many calls: exact sums, a bounded memory of pairs, and no long log or clean-up that holds anybody up. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { logLimitBytes } from '../../src/store/sqlite/checkpointer.ts';
import { type CallRecord, createSqliteStore, type Store } from '../../src/store/store.ts';
import { call, everything, expected, manyCalls, order, withoutLeads } from '../kit/many-calls.ts';
import { storeTest } from '../kit/store-test.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-calls-'));
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

const countOf = async (store: Store) => (await store.listCallTallies(1)).tools[0]?.tally.count ?? 0;

storeTest('20,000 calls are rolled up to the exact sums', async (store) => {
  const calls = manyCalls(20_000);
  for (let at = 0; at < calls.length; at += 5_000) await store.appendRecords(calls.slice(at, at + 5_000));
  assert.equal((await store.rollUpCalls(order)).rolledUp, 20_000);
  assert.equal((await store.listCallTallies(1_000)).unrolled, 0);
  assert.deepEqual(await everything(store), expected(calls));
});

storeTest('pairs are remembered up to a limit, the newest ones', async (store) => {
  const asked = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => call({ query: `query ${from + at}` }));
  for (let from = 0; from < 12_000; from += 4_000) {
    await store.appendRecords(asked(from, from + 4_000));
    await store.rollUpCalls(order);
  }
  const queries = new Set((await store.listCallPairs('query', {})).map(({ first }) => first));
  assert.ok(queries.size <= 11_000 && queries.size >= 10_000, `${queries.size}`);
  assert.ok(queries.has('query 11999'));
  assert.equal((await store.listCallTallies(1)).tools[0]?.tally.count, 12_000);
});

storeTest('forgetting wins against a roll-up under way, at any moment of it', async (store) => {
  let kept: CallRecord[] = [];
  for (let round = 0; round < 6; round += 1) {
    const calls = manyCalls(3_000);
    await store.appendRecords(calls);
    const rolling = store.rollUpCalls(order);
    // Some time after the thread was started: before, within or after its writing.
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 25));
    await store.forgetCalls({ server: 'server-0' });
    await rolling;
    kept = [...kept, ...calls.filter(({ server }) => server !== 'server-0')];
    const left = kept.map((one) => withoutLeads({ server: 'server-0' }, one));
    assert.deepEqual(await everything(store), expected(left));
  }
});

test('the longest log loses no call in a kill, and gets short while nothing but calls is written', () =>
  withStore('log.db', async (store, file) => {
    const count = await fillLog(store, file);
    // Not by this process, which would lose its locks on the file. The log first: what a checkpoint moves is then in both.
    const copy = `for (const end of ['-wal', '']) fs.copyFileSync(process.argv[1] + end, process.argv[1] + '.copy' + end)`;
    execFileSync(process.execPath, ['-e', copy, file]);
    await withStore('log.db.copy', async (killed) => assert.equal(await countOf(killed), count));
    while ((await logSizeOf(file)) >= logLimitBytes) await store.appendRecords([call()]).catch(() => {});
    assert.ok((await countOf(store)) > count);
  }));

/** Says how many calls that takes. */
async function fillLog(store: Store, file: string): Promise<number> {
  const batch = Array.from({ length: 500 }, () => call({ error: 'x'.repeat(4_000), outcome: 'tool' }));
  let count = 0;
  for (; (await logSizeOf(file)) < logLimitBytes; count += batch.length) await store.appendRecords(batch);
  return count;
}

const logSizeOf = async (file: string) => (await stat(`${file}-wal`).catch(() => ({ size: 0 }))).size;

test('forgetting many sums does not hold up the event loop', () =>
  withStore('forget.db', async (store, file) => {
    await store.appendRecords([call()]);
    await store.rollUpCalls(order);
    multiplyDays(file, 60_000);
    let [isDone, longestMs] = [false, 0];
    const cpuMs = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1_000;
    };
    const start = cpuMs();
    const forgetting = store.forgetCalls({ server: 's' }).finally(() => {
      isDone = true;
    });
    for (let last = start; !isDone; last = cpuMs()) {
      await turn();
      longestMs = Math.max(longestMs, cpuMs() - last);
    }
    await forgetting;
    const took = cpuMs() - start;
    assert.ok(longestMs < took / 2, `${longestMs} ms of ${took} ms were one turn.`);
    assert.deepEqual(await store.listCallDays({}, 0), []);
  }));

/** Makes it look like `count` tools on that day. */
function multiplyDays(file: string, count: number): void {
  using connection = new DatabaseSync(file);
  const columns = connection.prepare(`select name from pragma_table_info('call_day')`).all();
  const names = columns.map(({ name }) => String(name));
  const values = names.map((name) => (name === 'tool' ? `'tool-' || value` : name));
  connection.exec(`with recursive number(value) as (select 1 union all select value + 1 from number limit ${count})
    insert into call_day (${names}) select ${values} from call_day, number`);
}

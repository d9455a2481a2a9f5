/** Calls in an SQLite file: written beside other transactions, refused at once when it is locked or full, read and forgotten without holding up the event loop. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { call, order } from '../../../test/kit/many-calls.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { openRecords } from '../records.ts';
import { logLimitBytes } from '../sqlite/checkpointer.ts';
import { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import type { CallScope, Store } from '../store.ts';

const pageBytes = 4_096;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-calls-'));
});
after(() => rm(folder, { recursive: true }));

async function withStore(
  name: string,
  act: (store: Store, file: string, database: SqliteDatabase) => Promise<void>,
): Promise<void> {
  const file = join(folder, name);
  const database = new SqliteDatabase({ file, clock: systemClock, log: silentLog });
  const store = Object.assign(database, openRecords(database));
  await store.open();
  try {
    await act(store, file, database);
  } finally {
    await store.close();
  }
}

const countOf = async (store: Store) => (await store.listCallTallies(1)).tools[0]?.tally.count ?? 0;

test('a call is never part of a transaction of somebody else, and does not wait for it', () =>
  withStore('beside.db', async (store, _file, database) => {
    await store.appendRecords([call()]);
    const writing = database.write(async (db) => {
      await sql`insert into switch values ('a', 1)`.execute(db);
      await assert.rejects(store.appendRecords([call()]), { code: 'STORE_BUSY' });
      throw new Error('rolled back');
    });
    await assert.rejects(writing, /rolled back/);
    await store.appendRecords([call()]);
    assert.equal(await countOf(store), 2);
  }));

test('a file that another process has locked refuses, and works again afterwards', () =>
  withStore('locked.db', async (store, file) => {
    using other = new DatabaseSync(file);
    other.exec('begin immediate');
    await assert.rejects(store.appendRecords([call()]), { code: 'STORE_BUSY', message: /locked\.db/ });
    await assert.rejects(store.appendRecords([call(), call()]), { code: 'STORE_BUSY' });
    other.exec('commit');
    await store.appendRecords([call(), call()]);
    assert.equal(await countOf(store), 2);
  }));

test('a call is committed when its write resolves: another connection sees it', () =>
  withStore('committed.db', async (store, file) => {
    using other = new DatabaseSync(file, { readOnly: true });
    const rows = () => other.prepare('select count(*) as n from call').get()?.n;
    for (let at = 1; at <= 5; at += 1) {
      await store.appendRecords([call()]);
      assert.equal(rows(), at);
    }
  }));

test('ids are never used again, even after every call was removed', () =>
  withStore('ids.db', async (store, file) => {
    await store.appendRecords([call(), call()]);
    await store.rollUpCalls({ now: call().at, expireBefore: call().at + 1 });
    await store.appendRecords([call()]);
    using other = new DatabaseSync(file, { readOnly: true });
    assert.deepEqual(
      other
        .prepare('select id from call')
        .all()
        .map(({ id }) => id),
      [3],
    );
    assert.equal(await countOf(store), 3);
  }));

test('the id of a forgotten call is not given again, or its successor would be taken for it', () =>
  withStore('given.db', async (store) => {
    await store.appendRecords([call(), call()]);
    await store.forgetCalls({});
    await store.close();
    await store.open();
    await store.appendRecords([call()]);
    assert.equal((await store.rollUpCalls(order)).removed, 0);
    assert.equal(await countOf(store), 1);
  }));

test('a call costs the log one page', () =>
  withStore('page.db', async (store, file) => {
    await store.appendRecords([call()]);
    const before = await logSizeOf(file);
    for (let at = 0; at < 300; at += 1) await store.appendRecords([call()]);
    const pages = ((await logSizeOf(file)) - before) / (pageBytes + 24);
    // Now and then one is full, and the next one is written with what leads to it.
    assert.ok(pages >= 300 && pages < 400, `${pages} pages`);
  }));

test('the log stays short while nothing but calls is written', () =>
  withStore('log.db', async (store, file) => {
    const count = await fillLog(store, file);
    while ((await logSizeOf(file)) >= logLimitBytes) await store.appendRecords([call()]).catch(() => {});
    assert.ok((await countOf(store)) > count);
  }));

test('after a kill with the longest log every call is there', () =>
  withStore('killed.db', async (store, file) => {
    const count = await fillLog(store, file);
    // Not by this process, which would lose its locks on the file. The log first: what a checkpoint moves is then in both.
    const copy = `for (const end of ['-wal', '']) fs.copyFileSync(process.argv[1] + end, process.argv[1] + '.copy' + end)`;
    execFileSync(process.execPath, ['-e', copy, file]);
    await withStore('killed.db.copy', async (killed) => assert.equal(await countOf(killed), count));
  }));

/** Says how many calls that takes. */
async function fillLog(store: Store, file: string): Promise<number> {
  const batch = Array.from({ length: 500 }, () => call({ error: 'x'.repeat(4_000), outcome: 'tool' }));
  let count = 0;
  for (; (await logSizeOf(file)) < logLimitBytes; count += batch.length) await store.appendRecords(batch);
  return count;
}

const logSizeOf = async (file: string) => (await stat(`${file}-wal`).catch(() => ({ size: 0 }))).size;

test('days of a tool and of a server are read without the others of either', () =>
  withStore('days.db', async (store, file) => {
    await store.appendRecords([call()]);
    await store.rollUpCalls(order);
    const prepare = mock.method(DatabaseSync.prototype, 'prepare');
    const plansFor = async (scope: CallScope) => {
      prepare.mock.resetCalls();
      await store.listCallDays(scope, 0);
      const asked = prepare.mock.calls.map(({ arguments: [statement] }) => statement);
      return asked.filter((statement) => statement.includes('"call_day"')).map((statement) => planOf(file, statement));
    };
    for (const [scope, way] of [
      [{}, /^SEARCH call_day USING INDEX \w+ \(day>\? AND day<\?\)/],
      [{ server: 's' }, /^SEARCH call_day USING INDEX \w+ \(server=\? AND day>\? AND day<\?\)/],
      [{ server: 's', tool: 'a' }, /^SEARCH call_day USING INDEX \w+ \(server=\? AND tool=\? AND day>\? AND day<\?\)/],
    ] as const) {
      const plans = await plansFor(scope);
      // The search for the next day needs only the index.
      const others = plans.filter((plan) => !/^SEARCH call_day USING COVERING INDEX \w+ \(day>\?\)$/.test(plan));
      assert.ok(others.length >= 2);
      for (const plan of others) assert.match(plan, way);
    }
    prepare.mock.restore();
  }));

function planOf(file: string, statement: string): string {
  using connection = new DatabaseSync(file, { readOnly: true });
  const [first] = connection.prepare(`explain query plan ${statement}`).all();
  return String(first?.detail);
}

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

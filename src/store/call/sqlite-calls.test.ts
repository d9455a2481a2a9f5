/** Calls in an SQLite file: written beside other transactions, refused at once when it is locked, read by the index. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, mock, test } from 'node:test';
import { sql } from 'kysely';
import { call, manyCalls, order } from '../../../test/kit/many-calls.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { openRecords } from '../records.ts';
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

test('the rows of forgotten calls are removed by the next roll-up', () =>
  withStore('forgotten.db', async (store) => {
    await store.appendRecords(manyCalls(600));
    await store.rollUpCalls(order);
    await store.forgetCalls({ server: 'server-0' });
    assert.equal((await store.rollUpCalls(order)).removed, 200);
    await store.forgetCalls({});
    assert.equal((await store.rollUpCalls(order)).removed, 400);
    assert.equal((await store.rollUpCalls(order)).removed, 0);
  }));

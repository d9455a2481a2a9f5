/** Calls in an SQLite file: written beside other transactions, refused at once when it is locked or full. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { call } from './call.contract.ts';
import { logLimitBytes } from './checkpointer.ts';
import { SqlStore } from './sql-store.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import type { Store } from './store.ts';

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
  const store = new SqlStore(database);
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
    await store.appendCalls([call()]);
    const writing = database.write(async (db) => {
      await sql`insert into switch values ('a', 1)`.execute(db);
      await assert.rejects(store.appendCalls([call()]), { code: 'STORE_BUSY' });
      throw new Error('rolled back');
    });
    await assert.rejects(writing, /rolled back/);
    await store.appendCalls([call()]);
    assert.equal(await countOf(store), 2);
  }));

test('a file that another process has locked refuses at once, and works again afterwards', () =>
  withStore('locked.db', async (store, file) => {
    using other = new DatabaseSync(file);
    other.exec('begin immediate');
    const start = performance.now();
    await assert.rejects(store.appendCalls([call()]), { code: 'STORE_BUSY', message: /locked\.db/ });
    await assert.rejects(store.appendCalls([call(), call()]), { code: 'STORE_BUSY' });
    assert.ok(performance.now() - start < 1_000);
    other.exec('commit');
    await store.appendCalls([call(), call()]);
    assert.equal(await countOf(store), 2);
  }));

test('a call is committed when its write resolves: another connection sees it', () =>
  withStore('committed.db', async (store, file) => {
    using other = new DatabaseSync(file, { readOnly: true });
    const rows = () => other.prepare('select count(*) as n from call').get()?.n;
    for (let at = 1; at <= 5; at += 1) {
      await store.appendCalls([call()]);
      assert.equal(rows(), at);
    }
  }));

test('ids are never used again, even after every call was removed', () =>
  withStore('ids.db', async (store, file) => {
    await store.appendCalls([call(), call()]);
    await store.rollUpCalls({ now: call().at, expireBefore: call().at + 1 });
    await store.appendCalls([call()]);
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

test('the log stays short while nothing but calls is written', { timeout: 30_000 }, () =>
  withStore('log.db', async (store, file) => {
    const logSize = async () => (await stat(`${file}-wal`)).size;
    const batch = Array.from({ length: 500 }, () => call({ error: 'x'.repeat(200), outcome: 'tool' }));
    while ((await logSize().catch(() => 0)) < logLimitBytes) await store.appendCalls(batch);
    while ((await logSize()) >= logLimitBytes) await store.appendCalls([call()]).catch(() => {});
  }),
);

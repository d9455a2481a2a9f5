/** A PostgreSQL database under several gateways, and one that goes away. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kysely, PostgresDialect } from 'kysely';
import { Client } from 'pg';
import { call, order } from '../../../test/kit/many-calls.ts';
import { cutLines, postgresTest, queryRows, runSql } from '../../../test/kit/postgres.ts';
import { eventually } from '../../../test/kit/processes.ts';
import { systemClock } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { createTable } from '../record.ts';
import { RecordWriter } from '../record-writer.ts';
import type { CallRecord, Store, StoreEvent } from '../store.ts';
import { createPostgresStore } from './postgres-database.ts';
import { lockOf } from './postgres-locks.ts';
import { StorePool } from './postgres-pool.ts';

/** `count` stores on one empty schema. */
function sharedTest(title: string, count: number, act: (stores: Store[], url: string) => Promise<void>): void {
  postgresTest(title, async (url) => {
    const stores = Array.from({ length: count }, () =>
      createPostgresStore({ url, clock: systemClock, log: silentLog }),
    );
    try {
      // Together, so that each finds the tables missing.
      await Promise.all(stores.map((store) => store.open()));
      await act(stores, url);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  });
}

const totalOf = async (store: Store) =>
  (await store.listCallTallies(10)).tools.reduce((sum, { tally }) => sum + tally.count, 0);

sharedTest('calls of several gateways are counted once, while all of them roll up', 3, async (stores) => {
  const write = async (store: Store) => {
    for (let batch = 0; batch < 20; batch += 1) {
      await store.appendRecords(Array.from({ length: 5 }, () => call()));
      if (batch % 5 === 0) await store.rollUpCalls(order);
    }
  };
  await Promise.all(stores.map(write));
  const [first = assert.fail()] = stores;
  assert.equal(await totalOf(first), 300);
  assert.equal((await first.rollUpCalls(order)).left, 0);
  assert.equal(await totalOf(first), 300);
});

sharedTest('writes of several gateways are one after the other', 2, async ([one = assert.fail(), other]) => {
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : (other ?? one)).saveSwitch(`server-${at}`, true)),
  );
  assert.equal((await one.listSwitches()).size, 20);
});

sharedTest('of two gateways that learn at once, neither loses what the other adds', 2, async (stores) => {
  const learn = async (store: Store) => {
    for (let turn = 0; turn < 20; turn += 1)
      await store.addUses([{ query: 'q', toolKey: 's:a', good: 1, bad: 0, at: 1_000 }]);
  };
  await Promise.all(stores.map(learn));
  const [, other = assert.fail()] = stores;
  assert.deepEqual(await other.listUses(), [{ query: 'q', toolKey: 's:a', good: 40, bad: 0, at: 1_000 }]);
});

async function beginResult(store: Store, id: string): Promise<void> {
  const result = { id, principal: 'ann', bytes: 2, manifestBytes: 0 };
  await store.addResultChunk(result, 0, Uint8Array.of(1), { mostBytes: 1_000, ttlMs: 1_000 });
}

/** While somebody else has the lock. */
async function withLock(url: string, lock: 'write' | 'results', act: () => Promise<void>): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`select ${lockOf(lock, 'exclusive')}`);
    await act();
  } finally {
    await client.end();
  }
}

sharedTest('records and large results do not wait for each other', 1, async ([store = assert.fail()], url) => {
  const begin = (id: string) => beginResult(store, id);
  await withLock(url, 'write', () => begin('first'));
  // More than there are connections.
  const waiting: Promise<void>[] = [];
  await withLock(url, 'results', async () => {
    waiting.push(...Array.from({ length: 20 }, (_, at) => begin(`result-${at}`)));
    await store.saveSwitch('github', true);
  });
  await Promise.all(waiting);
});

sharedTest('a large result that its gateway never finished goes after two minutes', 2, async (stores, url) => {
  const [killed = assert.fail(), other = assert.fail()] = stores;
  await beginResult(killed, 'half');
  assert.equal(await other.removeExpiredResults(), 0);
  await runSql(url, 'update result set expires_at = expires_at - 120000');
  assert.equal(await other.removeExpiredResults(), 1);
  assert.equal(await other.readResultChunk('half', 0), undefined);
});

sharedTest('each gateway hears what the others changed, and nothing of its own', 2, async ([one, other]) => {
  assert.ok(one !== undefined && other !== undefined);
  const heard = new Promise<StoreEvent>((resolve) => other.events.on(resolve));
  const own: StoreEvent[] = [];
  one.events.on((event) => own.push(event));
  await one.saveSwitch('github', false);
  assert.deepEqual(await heard, { type: 'servers', isOthers: true });
  assert.deepEqual(own, [{ type: 'servers' }]);
});

sharedTest('news of records is told after every write, not only after the first', 2, async ([one, other]) => {
  assert.ok(one !== undefined && other !== undefined);
  let heard = 0;
  other.events.on(({ type }) => {
    if (type === 'records') heard += 1;
  });
  for (let time = 0; time < 3; time += 1) {
    const before = heard;
    await one.appendRecords([call()]);
    await eventually('it is told', () => heard > before || undefined);
  }
});

sharedTest('a gateway that lost its line takes everything for changed', 1, async ([store = assert.fail()], url) => {
  const kinds = new Set<string>();
  const all = new Promise<void>((resolve) =>
    store.events.on(({ type, isOthers }) => void (isOthers && kinds.add(type).size === 9 && resolve())),
  );
  await runSql(url, cutLines);
  await all;
  assert.deepEqual([...kinds].sort(), [
    'access',
    'approvals',
    'browsers',
    'catalog',
    'jobs',
    'promotions',
    'records',
    'secrets',
    'servers',
  ]);
});

const isGone = (error: unknown) => error instanceof GatewayError && error.code === 'STORE_BROKEN';

sharedTest('connections that are cut lose no call and write none twice', 1, async ([store = assert.fail()], url) => {
  let isDone = false;
  const cutting = (async () => {
    while (!isDone) await runSql(url, cutLines);
  })();
  let failures = 0;
  const calls: CallRecord[] = [];
  // On a busy machine many are written before the first is cut.
  while (calls.length < 60 || failures === 0) {
    const one = call({ at: calls.length });
    calls.push(one);
    // As the writer of records does it: the same batch again, until it is known to be there.
    for (;;) {
      try {
        await store.appendRecords([one]);
        break;
      } catch (error) {
        failures += 1;
        assert.ok(isGone(error) || /has not noticed/.test(String(error)), String(error));
      }
    }
  }
  isDone = true;
  await cutting;
  // The last cut may meet this question.
  const kept = await eventually('the store answers', () =>
    store.listRecentCalls(calls.length + 1).catch(() => undefined),
  );
  assert.deepEqual(
    kept.map(({ at }) => at),
    calls.map(({ at }) => at),
  );
});

sharedTest('calls wait while the database refuses them', 1, async ([store = assert.fail()], url) => {
  const refused = Promise.withResolvers<void>();
  const appendRecords: Store['appendRecords'] = (...records) =>
    store.appendRecords(...records).catch((error) => {
      refused.resolve();
      throw error;
    });
  const writer = new RecordWriter({ store: { appendRecords }, clock: systemClock, log: silentLog });
  await runSql(url, 'alter table call rename to moved');
  const written = writer.write({ call: call() });
  await refused.promise;
  await runSql(url, 'alter table moved rename to call');
  await written;
  await eventually('it is written', () => writer.queued === 0 || undefined);
  await writer.close();
  assert.deepEqual([writer.dropped, (await store.listRecentCalls(2)).length], [0, 1]);
});

sharedTest('a database of a newer version is left as it is', 1, async (_stores, url) => {
  await runSql(url, `insert into migration (name, timestamp) values ('9999-later', 'then')`);
  const store = createPostgresStore({ url, clock: systemClock, log: silentLog });
  await assert.rejects(
    store.open(),
    (error: Error) => isGone(error) && /newer version.*9999-later/.test(error.message),
  );
  await runSql(url, `delete from migration where name = '9999-later'`);
});

sharedTest('a start whose steps and another transaction wait for each other goes well', 1, async (_stores, url) => {
  const other = new Client(url);
  await other.connect();
  const store = createPostgresStore({ url, clock: systemClock, log: silentLog });
  try {
    // The other one never gives up first.
    await other.query(`set deadlock_timeout = '1h'; begin; lock table migration`);
    const opening = store.open();
    const stepsLock = await eventually('the steps wait', async () => (await queryRows(url, waitingSteps))[0]?.lock);
    await Promise.all([other.query(`select pg_advisory_xact_lock(${stepsLock}); commit`), opening]);
    assert.deepEqual([...(await store.listSwitches())], []);
  } finally {
    await other.end();
    await store.close();
  }
});

/** The lock that a transaction has which waits for the table of steps. */
const waitingSteps = `select (has.classid::bigint << 32) + has.objid::bigint as lock from pg_locks waits, pg_locks has
  where waits.relation = 'migration'::regclass and not waits.granted and has.pid = waits.pid and has.locktype = 'advisory'`;

sharedTest('a database that takes no writes says so, and is read', 1, async ([first = assert.fail()], url) => {
  await first.saveSwitch('github', false);
  const readOnly = `${url}${encodeURIComponent(' -c default_transaction_read_only=on')}`;
  const store = createPostgresStore({ url: readOnly, clock: systemClock, log: silentLog });
  await store.open();
  try {
    await assert.rejects(store.saveSwitch('github', true), /read-only/);
    assert.deepEqual([...(await store.listSwitches())], [['github', false]]);
  } finally {
    await store.close();
  }
});

test('a database that is not there is named without its password', async () => {
  const store = createPostgresStore({
    url: 'postgres://ada:hunter22@127.0.0.1:1/db',
    clock: systemClock,
    log: silentLog,
  });
  await assert.rejects(store.open(), (error: Error) => {
    assert.match(error.message, /^The store postgres:\/\/\*\*\*@127\.0\.0\.1:1\/db cannot be reached/);
    return isGone(error);
  });
});

test('an address with several hosts is a mistake in the config, and named without its password', async () => {
  const url = 'postgres://ada:hunter22@one:1,two:2/db';
  await assert.rejects(createPostgresStore({ url, clock: systemClock, log: silentLog }).open(), (error) => {
    assert.ok(error instanceof GatewayError && error.code === 'CONFIG_INVALID', String(error));
    assert.match(
      error.message,
      /^The address of the store, postgres:\/\/\*\*\*@one:1,two:2\/db, is no URL of PostgreSQL\.$/,
    );
    assert.match(error.hint ?? '', /one host/);
    return true;
  });
});

postgresTest('a mistake in the set-up of the database is named, with how to mend it', async (url) => {
  await runSql(url, `do $$ begin create role guest login; exception when duplicate_object then null; end $$`);
  const at = (other: Partial<URL>) =>
    createPostgresStore({ url: Object.assign(new URL(url), other).href, clock: systemClock, log: silentLog });
  const mistakes: readonly [Store, RegExp, RegExp][] = [
    [at({ pathname: '/none' }), /\/none\S* names a database that does not exist/, /createdb/],
    [at({ username: 'nobody' }), /rejects this user/, /pg_hba\.conf/],
    [at({ username: 'guest' }), /does not give this user enough rights/, /owner/],
  ];
  for (const [store, message, hint] of mistakes)
    await assert.rejects(store.open(), (error) => {
      assert.ok(error instanceof GatewayError && error.code === 'STORE_BROKEN', String(error));
      assert.match(error.message, message);
      assert.match(error.hint ?? '', hint);
      return true;
    });
});

sharedTest('a column may be named like a type', 1, async (_, url) => {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new StorePool(url) }) });
  try {
    await createTable(db, 'odd', '"text" text not null', '"blob" blob');
    await runSql(url, `insert into odd values ('words', 'bytes')`);
    const rows = await queryRows(url, 'select "text", "blob" from odd');
    assert.deepEqual(rows, [{ text: 'words', blob: Buffer.from('bytes') }]);
  } finally {
    await runSql(url, 'drop table if exists odd');
    await db.destroy();
  }
});

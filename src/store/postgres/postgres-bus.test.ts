/** The connection on which a gateway hears of changes by others: it counts as good only while it hears. */

import assert from 'node:assert/strict';
import { Client } from 'pg';
import { HastenedClock } from '../../../test/kit/hastened-clock.ts';
import { LossyPooler } from '../../../test/kit/lossy-pooler.ts';
import { cutLines, postgresTest, queryRows, runSql } from '../../../test/kit/postgres.ts';
import { eventually } from '../../../test/kit/processes.ts';
import { TcpProxy } from '../../../test/kit/tcp-proxy.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import type { Store, StoreEvent } from '../store.ts';
import { listenerCheckMs } from './postgres-bus.ts';
import { createPostgresStore, PostgresDatabase } from './postgres-database.ts';
import { mostConnections } from './postgres-pool.ts';

const secret = { name: 'a/b', sealed: 'sealed', at: 1 };

postgresTest('[REP-18] behind a pooler that loses notifications the store does not open, and says why', async (url) => {
  await using pooler = await LossyPooler.to(url);
  pooler.losesNotifications = true;
  const clock = new HastenedClock();
  const store = createPostgresStore({ url: pooler.url, clock, log: silentLog });
  const failed = assert.rejects(store.open(), {
    code: 'STORE_BROKEN',
    message: /pooler in transaction mode/,
    hint: /directly to PostgreSQL/,
  });
  await eventually('it waits for its own word', () => clock.hasten(listenerCheckMs) > 0 || undefined);
  await failed;
  await store.close();
});

postgresTest(
  '[REP-18] a listener that answers and hears nothing is lost at its next check, and made again',
  async (url) => {
    await using pooler = await LossyPooler.to(url);
    const clock = new HastenedClock();
    const log: string[] = [];
    const store = createPostgresStore({
      url: pooler.url,
      clock,
      log: { ...silentLog, warn: (line) => log.push(line) },
    });
    const other = createPostgresStore({ url, clock: systemClock, log: silentLog });
    const heard: StoreEvent[] = [];
    store.events.on((event) => heard.push(event));
    try {
      await Promise.all([store.open(), other.open()]);
      const hearsAnother = () => heard.some(({ type, isOthers }) => type === 'secrets' && isOthers);
      pooler.losesNotifications = true;
      await other.replaceSecrets('a/', [secret]);
      await eventually('it is lost', () => {
        clock.hasten(listenerCheckMs);
        return store.unheardSince ?? undefined;
      });
      assert.deepEqual([hearsAnother(), log.length], [false, 1]);
      pooler.losesNotifications = false;
      await eventually('it hears', () => {
        clock.hasten(500);
        return store.unheardSince === null || undefined;
      });
      assert.ok(hearsAnother(), 'everything counts as changed');
    } finally {
      await Promise.all([store.close(), other.close()]);
    }
  },
);

postgresTest('a listener that hears its checks stays, and no other gateway hears them', async (url) => {
  let waits = 0;
  // In turn it waits for the word that it has told, which really comes, and until the next check, which comes at once.
  const after: Clock['after'] = (ms, act) => {
    if (ms === listenerCheckMs) waits += 1;
    return systemClock.after(ms === listenerCheckMs && waits % 2 === 0 && waits < 8 ? 0 : ms, act);
  };
  const other = createPostgresStore({ url, clock: systemClock, log: silentLog });
  const store = createPostgresStore({ url, clock: { ...systemClock, after }, log: silentLog });
  const heard: StoreEvent[] = [];
  other.events.on((event) => heard.push(event));
  try {
    await other.open();
    await store.open();
    await eventually('three checks have come', () => waits === 8 || undefined);
    assert.equal(store.unheardSince, null);
    await store.replaceSecrets('a/', [secret]);
    await eventually('the other hears of the change', () => heard.length > 0 || undefined);
    assert.deepEqual(
      heard.map(({ type }) => type),
      ['secrets'],
    );
  } finally {
    await Promise.all([store.close(), other.close()]);
  }
});

postgresTest('a listener is made again while all other connections are in use', async (url) => {
  const database = new PostgresDatabase({ url, clock: systemClock, log: silentLog });
  const heard: StoreEvent[] = [];
  database.events.on((event) => heard.push(event));
  const held = Promise.withResolvers<void>();
  try {
    await database.open();
    let begun = 0;
    const reads = Array.from({ length: mostConnections }, () =>
      database.read(() => {
        begun += 1;
        return held.promise;
      }),
    );
    await eventually('all have begun', () => begun === mostConnections || undefined);
    await runSql(url, `${cutLines} and query like 'listen %'`);
    await eventually('it hears again', () => heard.length > 0 || undefined);
    held.resolve();
    await Promise.all(reads);
  } finally {
    held.resolve();
    await database.close();
  }
});

postgresTest('every kind of change is heard elsewhere as it was told', async (url) => {
  const databases = [1, 2].map(() => new PostgresDatabase({ url, clock: systemClock, log: silentLog }));
  const [one = assert.fail(), other = assert.fail()] = databases;
  const heard: StoreEvent[] = [];
  other.events.on((event) => heard.push(event));
  const told: StoreEvent[] = [
    ...(['servers', 'access', 'approvals', 'browsers', 'promotions', 'records'] as const).map((type) => ({ type })),
    { type: 'promotions', server: 'weather' },
    ...([null, 'weather'] as const).map((server) => ({ type: 'catalog' as const, server })),
    ...([null, 'job_1'] as const).map((id) => ({ type: 'jobs' as const, id })),
    { type: 'secrets', prefix: 'a/' },
  ];
  try {
    for (const database of databases) await database.open();
    await one.write(async (_db, tell) => told.forEach(tell));
    await eventually('all are heard', () => heard.length >= told.length || undefined);
    assert.deepEqual(
      heard,
      told.map((event) => ({ ...event, isOthers: true })),
    );
  } finally {
    for (const database of databases) await database.close();
  }
});

postgresTest('a notification by somebody else is ignored, with one warning', async (url) => {
  const log: string[] = [];
  const heard: StoreEvent[] = [];
  const store = createPostgresStore({
    url,
    clock: systemClock,
    log: { ...silentLog, warn: (line) => log.push(line) },
  });
  const other = createPostgresStore({ url, clock: systemClock, log: silentLog });
  store.events.on((event) => heard.push(event));
  try {
    await Promise.all([store.open(), other.open()]);
    for (const payload of ['', 'null', '{', '{"from":"x","event":{"type":"catalog"}}'])
      await runSql(url, `select pg_notify('toolcrib ' || current_schema(), '${payload}')`);
    await other.replaceSecrets('a/', [secret]);
    await eventually('the next one is heard', () => heard.length > 0 || undefined);
    assert.deepEqual(heard, [{ type: 'secrets', prefix: 'a/', isOthers: true }]);
    assert.equal(log.length, 1);
  } finally {
    await Promise.all([store.close(), other.close()]);
  }
});

interface Unanswered {
  readonly store: Store;
  readonly heard: readonly StoreEvent[];
  /** Makes a change, and resolves once its commit was sent; the answer does not come. */
  readonly change: () => Promise<() => Promise<void>>;
}

/** `change` gives what cuts that connection alone, and resolves once the change has failed. */
async function withUnanswered(url: string, act: (parts: Unanswered) => Promise<void>): Promise<void> {
  await using wire = await TcpProxy.to(url);
  const through = Object.assign(new URL(url), { port: new URL(wire.url).port }).href;
  const store = createPostgresStore({ url: through, clock: systemClock, log: silentLog });
  const heard: StoreEvent[] = [];
  store.events.on((event) => heard.push(event));
  const change = async () => {
    const muted = wire.muteAfter('commit');
    const failed = assert.rejects(store.saveSwitch('github', false), { code: 'STORE_BROKEN' });
    const cut = await muted;
    return () => {
      cut();
      return failed;
    };
  };
  try {
    await store.open();
    await act({ store, heard, change });
  } finally {
    await store.close();
  }
}

const lookedFor = { type: 'servers', isOthers: true } as const;

postgresTest('a change whose commit was not answered is heard as if another gateway had made it', (url) =>
  withUnanswered(url, async ({ store, heard, change }) => {
    const fail = await change();
    await eventually('it is committed', async () => (await store.listSwitches()).size > 0 || undefined);
    assert.deepEqual(heard, []);
    await fail();
    assert.deepEqual(heard[0], lookedFor);
  }),
);

const commitLock = 4711;

/** Commits of switches wait for that lock, however long. */
const waitingCommits = `create function wait_at_commit() returns trigger language plpgsql set lock_timeout = 0 as
    $$ begin perform pg_advisory_xact_lock(${commitLock}); return null; end $$;
  create constraint trigger waiting after insert on switch deferrable initially deferred
    for each row execute function wait_at_commit()`;
const waiting = `select 1 from pg_locks where objid = ${commitLock} and not granted`;

postgresTest('a change that is committed only after its connection was lost is heard then', (url) =>
  withUnanswered(url, async ({ store, heard, change }) => {
    const holder = new Client(url);
    await holder.connect();
    try {
      await holder.query(`${waitingCommits}; select pg_advisory_lock(${commitLock})`);
      const fail = await change();
      await eventually('the commit waits', async () => (await queryRows(url, waiting))[0]);
      await fail();
      assert.deepEqual([heard, (await store.listSwitches()).size], [[lookedFor], 0]);
      await holder.query(`select pg_advisory_unlock(${commitLock})`);
      await eventually('it is heard again', () => heard[1]);
      assert.deepEqual([heard, (await store.listSwitches()).size], [[lookedFor, lookedFor], 1]);
    } finally {
      await holder.query('select pg_advisory_unlock_all(); drop function if exists wait_at_commit cascade');
      await holder.end();
    }
  }),
);

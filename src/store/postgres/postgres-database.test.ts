/** A PostgreSQL database under several gateways, and one that goes away. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, order } from '../../../test/kit/many-calls.ts';
import { cutLines, postgresTest, runSql } from '../../../test/kit/postgres.ts';
import { eventually } from '../../../test/kit/processes.ts';
import { systemClock } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import type { CallRecord, Store, StoreEvent } from '../store.ts';
import { createPostgresStore } from './postgres-database.ts';

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

sharedTest('each gateway hears what the others changed, and nothing of its own', 2, async ([one, other]) => {
  assert.ok(one !== undefined && other !== undefined);
  const heard = new Promise<StoreEvent>((resolve) => other.events.on(resolve));
  const own: StoreEvent[] = [];
  one.events.on((event) => own.push(event));
  await one.saveSwitch('github', false);
  assert.deepEqual(await heard, { type: 'servers', isOthers: true });
  assert.deepEqual(own, [{ type: 'servers' }]);
});

sharedTest('a gateway that lost its line takes everything for changed', 1, async ([store = assert.fail()], url) => {
  const kinds = new Set<string>();
  const all = new Promise<void>((resolve) =>
    store.events.on(({ type, isOthers }) => void (isOthers && kinds.add(type).size === 7 && resolve())),
  );
  await runSql(url, cutLines);
  await all;
  assert.deepEqual([...kinds].sort(), ['access', 'browsers', 'catalog', 'promotions', 'records', 'secrets', 'servers']);
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

sharedTest('a database of a newer version is left as it is', 1, async (_stores, url) => {
  await runSql(url, `insert into migration (name, timestamp) values ('9999-later', 'then')`);
  const store = createPostgresStore({ url, clock: systemClock, log: silentLog });
  await assert.rejects(
    store.open(),
    (error: Error) => isGone(error) && /newer version.*9999-later/.test(error.message),
  );
  await runSql(url, `delete from migration where name = '9999-later'`);
});

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

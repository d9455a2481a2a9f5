/** Connections to PostgreSQL that fall silent, as behind a firewall that forgot them. */

import assert from 'node:assert/strict';
import { HastenedClock } from '../../../test/kit/hastened-clock.ts';
import { postgresTest } from '../../../test/kit/postgres.ts';
import { eventually } from '../../../test/kit/processes.ts';
import { TcpProxy } from '../../../test/kit/tcp-proxy.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { createPostgresStore, storeCloseMs } from './postgres-database.ts';
import { StorePool } from './postgres-pool.ts';

function through({ url: near }: TcpProxy, url: string): string {
  return Object.assign(new URL(url), { port: new URL(near).port }).href;
}

postgresTest('a connection that falls silent fails once, and nobody gets it again', async (url) => {
  await using wire = await TcpProxy.to(url);
  // The kit expects its tables.
  const store = createPostgresStore({ url, clock: systemClock, log: silentLog });
  await store.open();
  await store.close();
  const pool = new StorePool(through(wire, url));
  pool.on('error', () => {});
  try {
    const client = Object.assign(await pool.connect(), { limitMs: 1 });
    wire.silence();
    await assert.rejects(client.query('select 1'), /timeout/);
    // As the end of a transaction does.
    await assert.rejects(client.query('rollback'), /terminated|queryable/);
    client.release();
    assert.deepEqual((await pool.query('select 1 as one')).rows, [{ one: 1 }]);
  } finally {
    await pool.end();
  }
});

postgresTest('a store whose connections are silent closes within its limit', async (url) => {
  await using wire = await TcpProxy.to(url);
  const clock = new HastenedClock();
  const store = createPostgresStore({ url: through(wire, url), clock, log: silentLog });
  await store.open();
  wire.silence();
  const reading = assert.rejects(store.listSwitches(), { code: 'STORE_BROKEN' });
  const closed = store.close();
  await eventually('the limit runs', () => clock.hasten(storeCloseMs) > 0 || undefined);
  await Promise.all([closed, reading]);
});

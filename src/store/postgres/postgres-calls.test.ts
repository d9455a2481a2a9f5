/** Batches of calls on PostgreSQL whose commit is not answered: written once, whatever comes next. */

import assert from 'node:assert/strict';
import { call } from '../../../test/kit/many-calls.ts';
import { postgresTest } from '../../../test/kit/postgres.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { PostgresCalls } from './postgres-calls.ts';
import { createPostgresStore } from './postgres-database.ts';
import { StorePool } from './postgres-pool.ts';

/** A fault of the next statements that begin so; `after`: it was done all the same. */
interface Fault {
  readonly on: string;
  readonly when: 'before' | 'after';
  readonly error?: object;
}

const lost = () => new Error('Connection terminated unexpectedly');

/** A pool whose statements meet these faults, one after the other. */
function faulty(pool: StorePool, faults: Fault[]): StorePool {
  const wrap = <Target extends { query: unknown }>(target: Target): Target =>
    new Proxy(target, {
      get(_, name) {
        if (name === 'connect') return async () => wrap(await pool.connect());
        if (name !== 'query') return bound(target, name);
        return async (sql: string, values: unknown[]) => {
          const fault = faults[0] !== undefined && sql.startsWith(faults[0].on) ? faults.shift() : undefined;
          const fail = () => Promise.reject(Object.assign(lost(), fault?.error));
          if (fault?.when === 'before') return fail();
          const result = await (target.query as (sql: string, values: unknown[]) => Promise<unknown>).call(
            target,
            sql,
            values,
          );
          return fault === undefined ? result : fail();
        };
      },
    });
  return wrap(pool);
}

function bound(target: object, name: string | symbol): unknown {
  const value = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}

const [first, second] = [call({ server: 'one' }), call({ server: 'two' })];

function faultTest(title: string, faults: Fault[], act: (calls: PostgresCalls) => Promise<void>): void {
  postgresTest(title, async (url) => {
    const store = createPostgresStore({ url, clock: systemClock, log: silentLog });
    const pool = new StorePool(url);
    await store.open();
    try {
      await act(new PostgresCalls(faulty(pool, faults)));
      assert.deepEqual(faults, [], 'every fault was met');
      const servers = (await store.listRecentCalls(10)).map(({ server }) => server);
      assert.deepEqual(servers, ['one', 'two']);
    } finally {
      await pool.end();
      await store.close();
    }
  });
}

faultTest(
  'a batch that is there after all is not written again, though the next one fails',
  [
    { on: 'commit', when: 'after' },
    { on: 'insert', when: 'before' },
    { on: 'commit', when: 'after' },
  ],
  async (calls) => {
    for (let tries = 0; tries < 3; tries += 1)
      await assert.rejects(calls.append([first, second].slice(0, tries + 1), []));
    await calls.append([first, second], []);
  },
);

faultTest(
  'a batch that another database has never seen is written there',
  [
    { on: 'commit', when: 'before' },
    { on: 'select pg_xact_status', when: 'before', error: { code: '22023', severity: 'ERROR' } },
  ],
  async (calls) => {
    await assert.rejects(calls.append([first], []));
    await calls.append([first, second], []);
  },
);

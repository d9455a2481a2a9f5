/** Gateways on one database that know each other, and take turns: also where one of them is gone without a word. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { postgresTest, runSql } from '../../../test/kit/postgres.ts';
import { eventually } from '../../../test/kit/processes.ts';
import { sleep, systemClock } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { createPostgresStore } from '../postgres/postgres-database.ts';
import type { Store } from '../store.ts';
import { goneAfterMs, type ReplicaStore } from './replica.ts';
import { beatMs, Replicas } from './replicas.ts';

const parts = { clock: systemClock, log: silentLog };

function replica(store: ReplicaStore | undefined, url: string | null = 'http://127.0.0.1:3333'): Replicas {
  const describe = () => ({ url, version: '1.0.0', startedAt: 1, keyMark: 'k', configMark: 'c' });
  return new Replicas({ store, ...parts, describe });
}

/** Two stores on one database, for two gateways. */
function pairTest(title: string, act: (one: Store, other: Store, url: string) => Promise<void>): void {
  postgresTest(title, async (url) => {
    const [one, other] = [createPostgresStore({ url, ...parts }), createPostgresStore({ url, ...parts })];
    try {
      await Promise.all([one.open(), other.open()]);
      await act(one, other, url);
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });
}

test('one gateway alone has every turn and the upkeep, and asks nobody', async () => {
  const alone = replica(undefined);
  await alone.open();
  assert.deepEqual([alone.hasUpkeep, alone.count, (await alone.list()).replicas.length], [true, 1, 1]);
  assert.equal(await alone.inTurn('work', async ({ term }) => term), undefined);
  assert.deepEqual([alone.isPresent(alone.id), alone.isGone('another')], [true, false]);
  await alone.close();
});

pairTest(
  'a gateway that leaves serves no agents for the others, and is still there with its work',
  async (one, other) => {
    const [leaving, left] = [replica(one), replica(other)];
    await Promise.all([leaving.open(), left.open()]);
    await leaving.inTurn('work', async ({ term, signal }) => {
      assert.ok(await left.isStored(leaving.id));
      await leaving.leave();
      assert.ok(!(await left.isStored(leaving.id)));
      assert.ok((await other.listReplicas()).replicas.some(({ id }) => id === leaving.id));
      assert.ok(
        term !== undefined && !signal.aborted && !(await other.takeDuty({ ...term, replica: left.id, term: 'other' })),
      );
    });
    await Promise.all([leaving.close(), left.close()]);
  },
);

test('simultaneous lookups of unknown replicas share one read', async () => {
  let looks = 0;
  const no = async () => assert.fail('Nothing else is asked.');
  const listReplicas = async () => {
    looks += 1;
    return { replicas: [], now: 0 };
  };
  const store = { beatReplica: no, removeReplica: no, takeDuty: no, dropDuty: no, listReplicas };
  const one = replica(store);
  const urlOf = (id: string) => one.urlOf(id);
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(urlOf)), [undefined, undefined, undefined]);
  assert.equal(looks, 1);
  await urlOf('a');
  assert.equal(looks, 2);
});

test('an unknown replica does not count as gone while the store is unreadable', async () => {
  const no = async () => assert.fail('Nothing else is asked.');
  const listReplicas = () => Promise.reject(new GatewayError('STORE_BROKEN', 'Unreachable.'));
  const one = replica({ beatReplica: no, removeReplica: no, takeDuty: no, dropDuty: no, listReplicas });
  await assert.rejects(one.urlOf('a'), { code: 'STORE_BROKEN' });
});

/** One that knows another, on a store that does as it is told. */
async function besideAnother() {
  const no = async () => assert.fail('Nothing else is asked.');
  const clock = new ManualClock();
  const seen = { seenAt: 0, clockAheadMs: null };
  const facts = { url: 'http://127.0.0.1:3334', version: '1', startedAt: 2, keyMark: 'k', configMark: 'c', ...seen };
  const played = { isAway: false, slowMs: 0, others: [{ ...facts, id: 'other' }] };
  const beatReplica: ReplicaStore['beatReplica'] = async (own) => {
    if (played.slowMs > 0) await sleep(clock, played.slowMs);
    if (played.isAway) throw new GatewayError('STORE_BROKEN', 'Unreachable.');
    return { replicas: [{ ...own, ...seen }, ...played.others], terms: [] };
  };
  const store = { beatReplica, removeReplica: async () => {}, takeDuty: no, dropDuty: no, listReplicas: no };
  const describe = () => ({ ...facts, url: 'http://127.0.0.1:3333' });
  const one = new Replicas({ store, clock, log: silentLog, describe });
  await one.open();
  return { one, clock, played };
}

test('a turn is over once it was given back', async () => {
  const dropped = Promise.withResolvers<void>();
  const events: string[] = [];
  const store: ReplicaStore = {
    beatReplica: async () => ({ replicas: [], terms: [] }),
    removeReplica: async () => {},
    listReplicas: () => assert.fail('Nobody asks.'),
    takeDuty: async () => true,
    dropDuty: async () => {
      events.push('giving back');
      await dropped.promise;
      events.push('given back');
    },
  };
  const one = replica(store, null);
  const turn = one.inTurn('work', async () => events.push('work')).then(() => events.push('over'));
  await eventually('it is given back', () => events.includes('giving back') || undefined);
  dropped.resolve();
  await turn;
  assert.deepEqual(events, ['work', 'giving back', 'given back', 'over']);
  await one.close();
});

test('after the store was away, another replica is gone only once it had the time to say that it is there', async () => {
  const { one, clock, played } = await besideAnother();
  played.isAway = true;
  await clock.advance(goneAfterMs);
  played.isAway = false;
  played.others = [];
  await clock.advance(beatMs);
  assert.equal(one.isGone('other'), false);
  await clock.advance(goneAfterMs + beatMs);
  assert.equal(one.isGone('other'), true);
  await one.close();
});

test('on a store so slow that every beat is late, a replica that is gone counts as gone all the same', async () => {
  const { one, clock, played } = await besideAnother();
  played.slowMs = 1.5 * beatMs;
  const everyMs = beatMs + played.slowMs;
  await clock.advance(2 * everyMs);
  played.others = [];
  await clock.advance(everyMs);
  assert.equal(one.isGone('other'), false);
  await clock.advance(goneAfterMs + everyMs);
  assert.equal(one.isGone('other'), true);
  played.slowMs = 0;
  await clock.advance(everyMs);
  await one.close();
});

pairTest('each knows the other, one has the upkeep, and the other gets it at its orderly end', async (a, b) => {
  const [one, other] = [replica(a), replica(b)];
  await one.open();
  await other.open();
  assert.deepEqual([one.hasUpkeep, other.hasUpkeep], [true, false]);
  await eventually('each counts both', () => (one.count === 2 && other.count === 2) || undefined);
  await one.close();
  await eventually('the other has the upkeep', () => (other.hasUpkeep && other.count === 1) || undefined);
  await other.close();
});

pairTest('two are never at the same work at once', async (a, b) => {
  const both = [replica(a), replica(b)];
  await Promise.all(both.map((one) => one.open()));
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await a.listReplicas();
    running -= 1;
  };
  await Promise.all(both.flatMap((one) => [1, 2, 3].map(() => one.inTurn('work', work))));
  assert.equal(most, 1);
  await Promise.all(both.map((one) => one.close()));
});

pairTest('a gateway for one command is no replica, and takes its turn all the same', async (a, b) => {
  const [serving, command] = [replica(a), replica(b, null)];
  await serving.open();
  await command.open();
  assert.equal((await command.list()).replicas.length, 1);
  assert.equal(await command.inTurn('work', async ({ term }) => term?.replica), command.id);
  assert.deepEqual([(await command.list()).replicas.length, command.hasUpkeep], [1, false]);
  await command.close();
  await serving.close();
});

/** As if nobody had seen them for long. */
const unseen = (id: string) => `update replica set seen_at = seen_at - 60000 where id = '${id}'`;

pairTest('the work of one that is not seen any more is taken over, and it hears of that', async (a, b, url) => {
  const [one, other] = [replica(a), replica(b)];
  await Promise.all([one.open(), other.open()]);
  const taken = Promise.withResolvers<void>();
  const over = one.inTurn('work', async ({ signal, term }) => {
    taken.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    return term;
  });
  await taken.promise;
  const next = other.inTurn('work', async ({ term }) => term);
  // Until the other one looks: each beat says again that it is there.
  let isTaken = false;
  void next.then(() => {
    isTaken = true;
  });
  await eventually('the other has its turn', async () => {
    if (!isTaken) await runSql(url, unseen(one.id));
    return isTaken || undefined;
  });
  const [before, after] = [await over, await next];
  assert.notEqual(before?.term, after?.term);
  await Promise.all([one.close(), other.close()]);
});

pairTest('a turn whose end could not be told is given back later', async (a, b) => {
  let refusals = 1;
  const dropDuty: Store['dropDuty'] = async (term) => {
    refusals -= 1;
    if (refusals >= 0) throw new Error('Not now.');
    await a.dropDuty(term);
  };
  const [one, other] = [replica({ ...a, dropDuty }), replica(b)];
  await Promise.all([one.open(), other.open()]);
  await one.inTurn('work', async () => {});
  assert.equal(await other.inTurn('work', async ({ term }) => term?.replica), other.id);
  await Promise.all([one.close(), other.close()]);
});

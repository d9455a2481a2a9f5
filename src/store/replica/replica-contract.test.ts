/** The store's promises about replicas: who is there, and who has which work. */

import assert from 'node:assert/strict';
import { storeTest } from '../../../test/kit/store-test.ts';
import type { DutyTerm, ReplicaFacts } from './replica.ts';

storeTest('a replica is there once it says so, as it is, until it is removed', async (store, reopen) => {
  await store.beatReplica(facts('b', { startedAt: 2, url: null }), []);
  const { replicas: seen } = await store.beatReplica(facts('a'), []);
  const again = await reopen();
  const { replicas, now } = await again.listReplicas();
  assert.deepEqual(replicas, seen);
  assert.deepEqual(
    replicas.map(({ seenAt: _, clockAheadMs: __, ...said }) => said),
    [facts('a'), facts('b', { startedAt: 2, url: null })],
  );
  for (const { seenAt } of replicas) assert.ok(seenAt <= now && seenAt > now - 60_000);
  await again.removeReplica('a');
  await again.removeReplica('unknown');
  assert.deepEqual(
    (await again.listReplicas()).replicas.map(({ id }) => id),
    ['b'],
  );
});

storeTest('replicas are ordered by start, then by id', async (store) => {
  for (const [id, startedAt] of [
    ['a', 3],
    ['c', 2],
    ['b', 2],
  ] as const)
    await store.beatReplica(facts(id, { startedAt }), []);
  assert.deepEqual(
    (await store.listReplicas()).replicas.map(({ id }) => id),
    ['b', 'c', 'a'],
  );
});

storeTest('a replica says other things of itself with a later beat', async (store) => {
  await store.beatReplica(facts('a'), []);
  const { replicas } = await store.beatReplica(facts('a', { configMark: 'c2' }), []);
  assert.deepEqual(
    replicas.map(({ configMark }) => configMark),
    ['c2'],
  );
});

storeTest(
  'the clock of a replica is compared with the clock of the database, unless it is unknown or the answer is slow',
  async (store) => {
    const aheadOf = async (now?: () => number) =>
      (await store.beatReplica(facts('a'), [], now)).replicas[0]?.clockAheadMs;
    for (const shiftMs of [0, 90_000, -7_200_000]) {
      const ahead = await aheadOf(() => Date.now() + shiftMs);
      assert.ok(ahead != null && Math.abs(ahead - shiftMs) < 1_000, `${shiftMs}: ${ahead}`);
    }
    assert.equal(await aheadOf(), null);
    let looks = 0;
    assert.equal(await aheadOf(() => Date.now() + 5_000 * looks++), null);
  },
);

storeTest('one has a work at a time, until it gives it back or is removed', async (store) => {
  for (const id of ['a', 'b']) await store.beatReplica(facts(id), []);
  const [first, second] = [term('a', 'one'), term('b', 'two')];
  assert.equal(await store.takeDuty(first), true);
  assert.equal(await store.takeDuty(second), false);
  assert.equal(await store.takeDuty(term('a', 'three')), false, 'not even a second time for the same one');
  await store.dropDuty({ ...first, term: 'another' });
  assert.equal(await store.takeDuty(second), false);
  await store.dropDuty(first);
  assert.equal(await store.takeDuty(second), true);
  await store.removeReplica('b');
  assert.equal(await store.takeDuty(first), true);
});

storeTest('a beat takes the work that nobody has, and tells what its replica has', async (store) => {
  assert.deepEqual((await store.beatReplica(facts('a'), [term('a', 'one')])).terms, [term('a', 'one')]);
  assert.deepEqual((await store.beatReplica(facts('b'), [term('b', 'two')])).terms, []);
  assert.deepEqual((await store.beatReplica(facts('a'), [])).terms, [term('a', 'one')]);
});

storeTest('one that is not there gets no work', async (store) => {
  assert.equal(await store.takeDuty(term('a', 'one')), false);
  assert.deepEqual((await store.beatReplica(facts('b'), [term('b', 'two')])).terms, [term('b', 'two')]);
});

function facts(id: string, parts: Partial<ReplicaFacts> = {}): ReplicaFacts {
  return { id, url: `http://${id}:3333`, version: '1.0.0', startedAt: 1, keyMark: 'k1', configMark: 'c1', ...parts };
}

function term(replica: string, name: string): DutyTerm {
  return { work: 'upkeep', replica, term: name };
}

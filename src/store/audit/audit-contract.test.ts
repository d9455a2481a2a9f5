/** The store's promises about the audit: it is only added to, every record is found again, and only age removes it. */

import assert from 'node:assert/strict';
import { madeUpCall } from '../../../test/kit/made-up-call.ts';
import { madeUpEvent } from '../../../test/kit/made-up-event.ts';
import { oddNames, storeTest } from '../../../test/kit/store-test.ts';
import type { AuditFilter, AuditQuery, AuditRecord, Store } from '../store.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const noon = Date.UTC(2026, 5, 15, 12);

storeTest('an event comes back as it was given, and outlives a restart', async (store, reopen) => {
  const full = madeUpEvent({ arguments: { a: [1, { b: null }] }, detail: { way: 'direct' }, ms: 1.234 });
  const empty = {
    client: null,
    requestId: null,
    rpcId: null,
    trace: null,
    project: null,
    session: null,
    server: null,
    tool: null,
    errorType: 'TIMEOUT',
  };
  const bare = madeUpEvent({ ...empty, ms: null, argumentsHash: null });
  await store.appendRecords([], [full]);
  await store.appendRecords([], [bare]);
  const after = await reopen();
  assert.deepEqual(await all(after), [
    { ...full, id: 1 },
    { ...bare, id: 2 },
  ]);
  assert.equal(await after.lastAudit(), 2);
});

storeTest('the ids that are given for new events are those that a listing shows', async (store, reopen) => {
  const tools = ['a', 'b', 'c', 'd'].map((tool) => madeUpEvent({ tool }));
  const first = await store.appendRecords([madeUpCall(), madeUpCall()], tools.slice(0, 2));
  const second = await store.appendRecords([], tools.slice(2, 3));
  assert.deepEqual(await store.appendRecords([madeUpCall()]), []);
  const after = await reopen();
  const third = await after.appendRecords([], tools.slice(3));
  assert.deepEqual(
    [...first, ...second, ...third].map((id, at) => [id, tools[at]?.tool]),
    (await all(after)).map(({ id, tool }) => [id, tool]),
  );
});

storeTest('calls and events are committed together or not at all', async (store) => {
  await store.appendRecords([madeUpCall()], [madeUpEvent(), madeUpEvent()]);
  // No database keeps a time that is not a number.
  await assert.rejects(store.appendRecords([madeUpCall()], [madeUpEvent(), madeUpEvent({ at: Number.NaN })]));
  await assert.rejects(store.appendRecords([madeUpCall({ at: Number.NaN })], [madeUpEvent()]));
  const { tools } = await store.listCallTallies(10);
  assert.deepEqual([tools[0]?.tally.count, (await all(store)).length], [1, 2]);
});

storeTest('odd texts come back to the letter, one record each', async (store, reopen) => {
  const odd = oddNames.map((name) => madeUpEvent({ action: name, tool: name, principal: name, client: name }));
  await store.appendRecords([], odd);
  const after = await reopen();
  assert.deepEqual(
    (await all(after)).map(({ id: _, ...record }) => record),
    odd,
  );
  for (const [at, name] of oddNames.entries())
    assert.deepEqual(
      (await all(after, { tool: name })).map(({ id }) => id),
      [at + 1],
    );
});

storeTest('every filter finds what fits, and all of them together what fits them all', async (store) => {
  await store.appendRecords(
    [],
    [
      madeUpEvent({ at: noon }),
      madeUpEvent({
        at: noon + 1,
        kind: 'access',
        action: 'sign-in.refused',
        outcome: 'refused',
        errorType: 'ACCESS_DENIED',
      }),
      madeUpEvent({
        at: noon + 2,
        principal: 'token:7',
        principalName: 'ci',
        server: 'other',
        tool: 'b',
        requestId: 'r3',
        project: null,
      }),
    ],
  );
  const cases: readonly (readonly [AuditFilter, readonly number[]])[] = [
    [{}, [1, 2, 3]],
    [{ kind: 'access' }, [2]],
    [{ action: 'in.ref' }, [2]],
    [{ action: '%' }, []],
    [{ outcome: 'ok' }, [1, 3]],
    [{ outcome: 'not-ok' }, [2]],
    [{ errorType: 'ACCESS_DENIED' }, [2]],
    [{ principal: 'token:7' }, [3]],
    [{ principal: 'ci' }, [3]],
    [{ server: 'other' }, [3]],
    [{ tool: 'a' }, [1, 2]],
    [{ since: noon + 1 }, [2, 3]],
    [{ until: noon + 1 }, [1]],
    [{ since: noon + 1, until: noon + 2, outcome: 'refused', tool: 'a' }, [2]],
    [{ server: 'unknown' }, []],
    [{ request: 'r3' }, [3]],
    [{ request: 't1', project: 'shop' }, [1, 2]],
  ];
  for (const [filter, ids] of cases)
    assert.deepEqual(
      (await all(store, filter)).map(({ id }) => id),
      ids,
      JSON.stringify(filter),
    );
});

storeTest('pages go on where they ended, in both directions, and miss and repeat nothing', async (store) => {
  const count = 12_345;
  for (let at = 0; at < count; at += 2_469)
    await store.appendRecords(
      [],
      Array.from({ length: 2_469 }, (_, number) => numbered(at + number)),
    );
  const rare = { tool: 'rare' };
  for (const order of ['newest', 'oldest'] as const) {
    const found = await walk(store, { filter: rare, order, limit: 5 });
    const expected = Array.from({ length: count }, (_, at) => at + 1).filter((id) => id % 1_000 === 1);
    assert.deepEqual(found, order === 'oldest' ? expected : expected.toReversed());
    assert.equal((await walk(store, { filter: {}, order, limit: 1_000 })).length, count);
  }
});

storeTest('behind the last one nothing is found until something is added', async (store) => {
  await store.appendRecords([], [madeUpEvent()]);
  const tail = (from: number) => store.listAudit({ filter: {}, order: 'oldest', from, limit: 10 });
  assert.deepEqual(await tail(1), { records: [], upto: 1, isMore: false });
  await store.appendRecords([], [madeUpEvent()]);
  assert.deepEqual(
    (await tail(1)).records.map(({ id }) => id),
    [2],
  );
});

storeTest('old records are removed in steps, and nothing else', async (store, reopen) => {
  const events = Array.from({ length: 1_000 }, (_, at) => madeUpEvent({ at: noon - (1_000 - at) * dayMs }));
  await store.appendRecords([], events);
  assert.equal(await sweep(store, noon - 365 * dayMs), 635);
  assert.equal(await sweep(store, noon - 365 * dayMs), 0);
  const left = await all(await reopen());
  assert.deepEqual([left.length, left[0]?.id], [365, 636]);
});

storeTest('the last record stays, so that no id is ever given twice', async (store, reopen) => {
  await store.appendRecords([], [numbered(0), numbered(1), numbered(2)]);
  assert.equal(await sweep(store, noon + dayMs), 2);
  const after = await reopen();
  await after.appendRecords([], [numbered(3)]);
  assert.deepEqual(
    (await all(after)).map(({ id }) => id),
    [3, 4],
  );
});

storeTest('records that a wrong clock dated into the future keep no older ones from going', async (store) => {
  const future = Array.from({ length: 300 }, () => madeUpEvent({ at: noon + 1_000 * dayMs }));
  const old = Array.from({ length: 300 }, () => madeUpEvent({ at: noon - 1_000 * dayMs }));
  await store.appendRecords([], [...future, ...old, madeUpEvent({ at: noon })]);
  assert.equal(await sweep(store, noon - 365 * dayMs), 300);
});

storeTest(
  'of too many the oldest are removed in steps, whatever their time says, and age decides as before',
  async (store) => {
    const future = Array.from({ length: 300 }, () => madeUpEvent({ at: noon + 1_000 * dayMs }));
    await store.appendRecords([], [...future, ...Array.from({ length: 300 }, (_, at) => numbered(at))]);
    let removed = 0;
    for (let step = 1; step > 0; removed += step) step = await store.removeAuditUpto(400);
    assert.equal(removed, 400);
    assert.deepEqual([(await all(store)).length, (await all(store))[0]?.id], [200, 401]);
    assert.equal(await sweep(store, noon), 0);
    assert.equal(await sweep(store, noon + 1), 199);
    assert.equal(await store.removeAuditUpto(10_000), 0, 'the last one stays');
  },
);

function numbered(number: number): AuditRecord {
  return madeUpEvent({ at: noon, tool: number % 1_000 === 0 ? 'rare' : 'usual' });
}

async function all(store: Store, filter: AuditFilter = {}) {
  return (await store.listAudit({ filter, order: 'oldest', limit: 10_000 })).records;
}

/** The ids that are found page by page. */
async function walk(store: Store, query: AuditQuery): Promise<number[]> {
  const ids: number[] = [];
  for (let from = query.from; ; ) {
    const { records, upto, isMore } = await store.listAudit({ ...query, from });
    ids.push(...records.map(({ id }) => id));
    if (!isMore) return ids;
    from = upto;
  }
}

async function sweep(store: Store, before: number): Promise<number> {
  let removed = 0;
  for (let after: number | null = 0; after !== null; ) {
    const step: Awaited<ReturnType<Store['removeAudit']>> = await store.removeAudit(before, after);
    removed += step.removed;
    after = step.next;
  }
  return removed;
}

/** The store's promises about the history of the catalog. */

import assert from 'node:assert/strict';
import { item, listing, storeTest } from '../../../test/kit/store-test.ts';
import { mostCatalogChanges } from '../store.ts';

storeTest('each change is recorded with what was before and after, newest first', async (store, reopen) => {
  await store.applyListing('s', listing([item('a')], { listedAt: 1 }));
  await store.applyListing('s', listing([item('a', 'f2')], { listedAt: 2 }));
  await store.applyListing('s', listing([], { listedAt: 3 }));
  const changes = await (await reopen()).listChanges({});
  const [old, changed] = [item('a').definition, item('a', 'f2').definition];
  const common = { server: 's', kind: 'tool', name: 'a' };
  assert.deepEqual(
    changes.map(({ id: _, ...rest }) => rest),
    [
      {
        ...common,
        change: 'removed',
        at: 3,
        oldFingerprint: 'f2',
        newFingerprint: null,
        oldDefinition: changed,
        newDefinition: null,
      },
      {
        ...common,
        change: 'updated',
        at: 2,
        oldFingerprint: 'f1',
        newFingerprint: 'f2',
        oldDefinition: old,
        newDefinition: changed,
      },
      {
        ...common,
        change: 'added',
        at: 1,
        oldFingerprint: null,
        newFingerprint: 'f1',
        oldDefinition: null,
        newDefinition: old,
      },
    ],
  );
});

storeTest('of a server that never rests the newest changes are kept, and others lose none', async (store) => {
  await store.applyListing('calm', listing([item('a')], { listedAt: 1 }));
  const half = mostCatalogChanges / 2;
  for (let round = 0; round < 3; round += 1) {
    const items = Array.from({ length: half }, (_, at) => item(`tool-${at}`, `f${round}`));
    await store.applyListing('busy', listing(items, { listedAt: round }));
  }
  const marks = [];
  for (let before: number | undefined; ; before = marks.at(-1)?.id) {
    const page = await store.listChangeMarks({ server: 'busy', before, limit: 1_000 });
    if (page.length === 0) break;
    marks.push(...page);
  }
  assert.equal(marks.length, mostCatalogChanges);
  assert.deepEqual(
    [marks[0]?.at, marks[0]?.change, marks.at(-1)?.at, Object.keys(marks[0] ?? {}).length],
    [2, 'updated', 1, 6],
  );
  assert.equal((await store.listChanges({ server: 'calm' })).length, 1);
});

storeTest('the last listing that changed something is counted, and no other', async (store) => {
  assert.equal(await store.countLastChange('s'), null);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => item(name));
  assert.ok(a && b && c);
  await store.applyListing('other', { ...listing([a]), listedAt: 9 });
  await store.applyListing('s', { ...listing([a, b]), listedAt: 1 });
  assert.deepEqual(await store.countLastChange('s'), { at: 1, added: 2, updated: 0, removed: 0 });
  await store.applyListing('s', { ...listing([{ ...a, fingerprint: 'f2' }, c]), listedAt: 2 });
  await store.applyListing('s', { ...listing([{ ...a, fingerprint: 'f2' }, c]), listedAt: 3 });
  assert.deepEqual(await store.countLastChange('s'), { at: 2, added: 1, updated: 1, removed: 1 });
});

storeTest('history is paged backwards without gaps or repeats', async (store) => {
  await store.applyListing('s', listing(Array.from({ length: 250 }, (_, at) => item(`tool-${at}`))));
  const names: string[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await store.listChanges({ before, limit: 60 });
    if (page.length === 0) break;
    names.push(...page.map(({ name }) => name));
    before = page.at(-1)?.id;
  }
  assert.deepEqual(
    names,
    Array.from({ length: 250 }, (_, at) => `tool-${249 - at}`),
  );
  assert.equal((await store.listChanges({})).length, 100);
});

storeTest('history is found by server, by name and by both', async (store) => {
  await store.applyListing('s', listing([item('a'), item('__proto__'), item('nul\0')]));
  await store.applyListing('t', listing([item('a')]));
  const found = async (query: Parameters<typeof store.listChanges>[0]) =>
    (await store.listChanges(query)).map((change) => `${change.server}/${change.name}`);
  assert.deepEqual(await found({ name: 'a' }), ['t/a', 's/a']);
  assert.deepEqual(await found({ server: 's' }), ['s/nul\0', 's/__proto__', 's/a']);
  assert.deepEqual(await found({ server: 's', name: '__proto__' }), ['s/__proto__']);
  assert.deepEqual(await found({ name: 'nul\0' }), ['s/nul\0']);
  assert.deepEqual(await found({ server: 'unknown' }), []);
});

storeTest('ids of the history only grow, also over a restart', async (store, reopen) => {
  await store.applyListing('s', listing([item('a'), item('b')]));
  const [last] = await store.listChanges({ limit: 1 });
  const after = await reopen();
  await after.applyListing('s', listing([]));
  for (const { id } of await after.listChanges({ limit: 2 })) assert.ok(id > (last?.id ?? Number.POSITIVE_INFINITY));
});

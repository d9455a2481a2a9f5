/** The store's promises about what agents were shown. */

import assert from 'node:assert/strict';
import { oddNames, storeTest } from '../../../test/kit/store-test.ts';
import { type DisclosureSum, disclosureKinds, type Store, type StoreEvent } from '../store.ts';

storeTest('sums are added to what is there, also within one batch, and survive', async (store, reopen) => {
  const sum = disclosure({ count: 2, tokens: 30, calls: 4, directTokens: 500 });
  await store.addDisclosure([sum]);
  await store.addDisclosure([sum, sum]);
  const after = await reopen();
  assert.deepEqual(await after.listDisclosure(0), [
    disclosure({ count: 6, tokens: 90, calls: 12, directTokens: 1_500 }),
  ]);
});

storeTest('days, projects, surfaces and kinds stay apart, and no project is none of them', async (store) => {
  const others = [
    disclosure(),
    disclosure({ day: 20_001 }),
    disclosure({ project: 'work' }),
    disclosure({ project: 'none' }),
    disclosure({ surface: 'direct' }),
    ...disclosureKinds.slice(1).map((kind) => disclosure({ kind })),
  ];
  await store.addDisclosure(others);
  await store.addDisclosure(others.slice(0, 1));
  assert.deepEqual(await sorted(store), [disclosure({ count: 2, tokens: 20 }), ...others.slice(1)].sort(compare));
});

storeTest('only the days from the given one on are read', async (store) => {
  await store.addDisclosure([19_999, 20_000, 20_001].map((day) => disclosure({ day })));
  assert.deepEqual(
    (await sorted(store, 20_000)).map(({ day }) => day),
    [20_000, 20_001],
  );
  assert.deepEqual(await store.listDisclosure(20_002), []);
});

storeTest('odd projects and surfaces come back to the letter', async (store, reopen) => {
  const odd = oddNames.flatMap((name) => [disclosure({ surface: name }), ...inProject(name)]);
  await store.addDisclosure(odd);
  assert.deepEqual(await sorted(await reopen()), odd.toSorted(compare));
});

storeTest('sums go far beyond 32 bits', async (store) => {
  const many = disclosure({ count: 3_000_000_000, tokens: 4e15, calls: 5_000_000_000, directTokens: 4e15 });
  await store.addDisclosure([many, disclosure({ calls: 1 })]);
  assert.deepEqual(await store.listDisclosure(0), [
    disclosure({ count: 3_000_000_001, tokens: 4e15 + 10, calls: 5_000_000_001, directTokens: 4e15 }),
  ]);
});

storeTest('nothing to add is no mistake', async (store) => {
  await store.addDisclosure([]);
  assert.deepEqual(await store.listDisclosure(0), []);
});

storeTest('a batch that fails leaves nothing behind', async (store) => {
  // No database keeps a count that is not a number.
  await assert.rejects(store.addDisclosure([disclosure(), disclosure({ count: Number.NaN })]));
  assert.deepEqual(await store.listDisclosure(0), []);
});

storeTest('texts shown to agents are not reported', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.addDisclosure([disclosure()]);
  assert.deepEqual(told, []);
});

function disclosure(more: Partial<DisclosureSum> = {}): DisclosureSum {
  const sums = { count: 1, tokens: 10, calls: 0, directTokens: 0 };
  return { day: 20_000, project: null, surface: 'search', kind: 'list', ...sums, ...more };
}

/** A project without a name cannot be told from none, and does not exist. */
function inProject(name: string): DisclosureSum[] {
  return name === '' ? [] : [disclosure({ project: name })];
}

async function sorted(store: Store, since = 0): Promise<DisclosureSum[]> {
  return (await store.listDisclosure(since)).sort(compare);
}

function compare(a: DisclosureSum, b: DisclosureSum): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

function keyOf({ day, project, surface, kind }: DisclosureSum): string {
  return JSON.stringify([day, project, surface, kind]);
}

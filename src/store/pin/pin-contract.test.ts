/** The store's promises about approvals. */

import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { item, listing, oddNames, storeTest } from '../../../test/kit/store-test.ts';
import type { Store, StoreEvent } from '../store.ts';
import { mostPinEvents, OutdatedPinsError, type PinEvent, type StoredPin } from './pin.ts';

storeTest('pins are added, replaced by server, kind and name, and survive', async (store, reopen) => {
  await store.savePins({
    pins: [pin('a'), pin('b'), pin('a', { kind: 'prompt' }), pin('', { kind: 'server' })],
    events: [],
  });
  const changed = pin('b', {
    ...{
      state: 'changed',
      pending: { fingerprint: 'f2', definition: { name: 'b', description: 'New.' } },
      grade: 'risky',
    },
    ...{
      reasons: [{ code: 'hint', where: 'annotations.readOnlyHint', sentence: 'It writes.' }],
      times: 2,
      told: 'f2',
    },
    ...{ toldAt: 5, refused: 'f3', decidedBy: 'owner', decidedAt: 6, since: 7, source: 'other' },
    ...{ basis: { fingerprint: 'f0', definition: { name: 'b' } }, faded: 'f4', passes: 3 },
    ...{
      shown: 'f2',
      shownTo: 'owner',
      undo: { ...pinBefore, approved: { fingerprint: 'f0', definition: { name: 'b\ud800' } } },
    },
  });
  await store.savePins({ pins: [changed, pin('c', { approved: null, state: 'held' })], events: [] });
  const after = await reopen();
  assert.deepEqual(await sorted(after), [
    ...[pin('a', { kind: 'prompt' }), pin('', { kind: 'server' }), pin('a')],
    ...[changed, pin('c', { approved: null, state: 'held' })],
  ]);
});

storeTest('a listing and what was judged of it are kept together or not at all', async (store) => {
  const good = { pins: [pin('a')], events: [event('a')] };
  await store.applyListing('s', listing([item('a')]), good);
  assert.deepEqual([await store.listPins(), (await store.listPinEvents({ limit: 9 })).length], [[pin('a')], 1]);
  // No database keeps a time that is not a number.
  const bad = { pins: [pin('a', { state: 'rejected' }), pin('b', { since: Number.NaN })], events: [event('b')] };
  await assert.rejects(store.applyListing('s', listing([item('a'), item('b')]), bad));
  assert.deepEqual((await store.listListings())[0]?.items.length, 1);
  assert.deepEqual([await store.listPins(), (await store.listPinEvents({ limit: 9 })).length], [[pin('a')], 1]);
});

storeTest('pins outlive the listing and the server', async (store) => {
  await store.saveServer({ name: 's', spec: {}, addedAt: 1 });
  await store.applyListing('s', listing([item('a')]), { pins: [pin('a')], events: [] });
  await store.removeListing('s');
  await store.removeServer('s');
  assert.deepEqual(await store.listPins(), [pin('a')]);
});

storeTest('pins are removed by server, kind and name, with what is kept beside them', async (store) => {
  const other = pin('a', { server: 't' });
  await store.savePins({ pins: [pin('a'), pin('b'), pin('a', { kind: 'prompt' }), other], events: [] });
  await store.savePins({ pins: [pin('c')], events: [], removed: [pin('a'), pin('none')] });
  const left = (await store.listPins()).map(({ server, kind, name }) => `${server} ${kind} ${name}`);
  assert.deepEqual(left.sort(), ['s prompt a', 's tool b', 's tool c', 't tool a']);
});

storeTest('a change on top of something else than what is there changes nothing, and says what is', async (store) => {
  const [first, seen] = [pin('a'), pin('a', { times: 1 })];
  const base = (was: StoredPin | null) => ({ server: 's', kind: 'tool', name: 'a', pin: was }) as const;
  const change = { pins: [seen, pin('b')], events: [event('b')] };
  await store.savePins({ pins: [first], events: [], bases: [base(null)] });
  const isRefused = (kept: StoredPin | null) => (error: unknown) => {
    assert.ok(error instanceof OutdatedPinsError);
    assert.deepEqual(error.newer, [base(kept)]);
    return true;
  };
  for (const was of [null, seen, pin('a', { state: 'rejected' }), pin('a', { shown: 'f1' })]) {
    await assert.rejects(store.savePins({ ...change, bases: [base(was)] }), isRefused(first));
    const applied = store.applyListing('s', listing([item('a')]), { ...change, bases: [base(was)] });
    await assert.rejects(applied, isRefused(first));
  }
  assert.deepEqual(await store.readCatalog(null), { listings: [], pins: [first] });
  // The same wording in another order is the same.
  const same = pin('a', { approved: { fingerprint: 'f1', definition: { other: 'words', name: 'a' } } });
  await store.applyListing('s', listing([item('a')]), { ...change, bases: [base(same)] });
  const { listings, pins } = await store.readCatalog(['s', 'none']);
  assert.deepEqual([listings.length, pins.length, (await store.listPinEvents({ limit: 9 })).length], [1, 2, 1]);
  assert.deepEqual(await store.readCatalog(['none']), { listings: [], pins: [] });
  await assert.rejects(store.savePins({ pins: [], events: [], bases: [{ ...base(first), name: 'c' }] }), (error) =>
    isDeepStrictEqual((error as OutdatedPinsError).newer, [{ ...base(null), name: 'c' }]),
  );
});

storeTest('a decision is told as a change of its server', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((happened) => told.push(happened));
  await store.savePins({ pins: [pin('a'), pin('b')], events: [], removed: [pin('c', { server: 't' })] });
  await store.applyListing('u', listing([]), { pins: [pin('a', { server: 'u' })], events: [] });
  await store.applyListing('u', listing([]), { pins: [pin('a', { server: 'u', times: 1 })], events: [] });
  assert.deepEqual(
    told,
    ['s', 't', 'u', 'u'].map((server) => ({ type: 'catalog', server })),
  );
});

storeTest('3,000 pins are kept at once', async (store) => {
  await store.savePins({ pins: Array.from({ length: 3_000 }, (_, at) => pin(`tool-${at}`)), events: [] });
  assert.equal((await store.listPins()).length, 3_000);
});

storeTest('the history comes newest first, of a server, a kind or a name', async (store, reopen) => {
  const events = [
    event('a'),
    event('b'),
    event('a', { kind: 'prompt' }),
    event('a', { server: 't', act: 'approved', by: 'owner' }),
  ];
  await store.savePins({ pins: [], events });
  const after = await reopen();
  const found = await after.listPinEvents({ limit: 10 });
  assert.deepEqual(
    found.map(({ id: _id, ...rest }) => rest),
    events.toReversed(),
  );
  const count = async (query: object) => (await after.listPinEvents({ limit: 10, ...query })).length;
  assert.deepEqual(
    [
      await count({ server: 's' }),
      await count({ kind: 'prompt' }),
      await count({ server: 's', name: 'a' }),
      await count({ limit: 2 }),
    ],
    [3, 1, 2, 2],
  );
});

storeTest('of what nobody decided the newest is kept, of what somebody did all of it', async (store) => {
  const decided = [event('first', { by: 'owner', act: 'approved' }), event('other', { server: 't' })];
  await store.savePins({ pins: [], events: decided });
  const many = Array.from({ length: mostPinEvents + 10 }, (_, at) => event(`tool-${at}`));
  await store.savePins({ pins: [], events: many });
  const names = (await store.listPinEvents({ limit: 2 * mostPinEvents })).map(({ name }) => name);
  assert.deepEqual(
    [names.length, names.at(-1), names.at(-2), names.at(-3)],
    [mostPinEvents + 2, 'first', 'other', 'tool-10'],
  );
});

storeTest('odd names stay apart and come back to the letter', async (store, reopen) => {
  const odd = oddNames.map((name, at) => pin(name, { since: at }));
  await store.savePins({ pins: odd, events: oddNames.map((name) => event(name)) });
  const after = await reopen();
  assert.deepEqual(
    (await after.listPins()).toSorted((a, b) => a.since - b.since),
    odd,
  );
  assert.deepEqual((await after.listPinEvents({ limit: 99 })).map(({ name }) => name).reverse(), oddNames);
});

const pinBefore: NonNullable<StoredPin['undo']> = {
  ...{ at: 5, state: 'held', approved: null, pending: null, basis: null, faded: null, grade: null, reasons: [] },
  ...{ since: 4, times: 0, passes: 0, refused: null, decidedBy: null, decidedAt: null },
};

function pin(name: string, more: Partial<StoredPin> = {}): StoredPin {
  return {
    ...{ server: 's', kind: 'tool', name, source: 'source', state: 'approved' },
    approved: { fingerprint: 'f1', definition: { name } },
    ...{ pending: null, grade: null, reasons: [], since: 1_000, times: 0, told: null, toldAt: null },
    ...{
      refused: null,
      decidedBy: null,
      decidedAt: null,
      basis: null,
      faded: null,
      passes: 0,
      shown: null,
      shownTo: null,
      undo: null,
    },
    ...more,
  };
}

function event(name: string, more: Partial<PinEvent> = {}): PinEvent {
  const facts = {
    act: 'changed',
    at: 2_000,
    before: 'f1',
    after: 'f2',
    grade: 'risky',
    reasons: [],
    by: null,
  } as const;
  return { server: 's', kind: 'tool', name, ...facts, ...more };
}

async function sorted(store: Store): Promise<StoredPin[]> {
  const keyOf = ({ kind, name }: StoredPin) => `${kind} ${name}`;
  return (await store.listPins()).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

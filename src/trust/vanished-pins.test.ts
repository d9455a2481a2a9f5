/** Tests of what is remembered of things that are gone: enough to know them again, and never without end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { fingerprintOf } from '../base/ids.ts';
import { limits } from '../config/config.ts';
import type { StoredPin } from '../store/store.ts';
import { type JudgeOrder, judgeCases } from './judge-cases.ts';
import { Pins } from './pins.ts';
import { isCrowded, thinOut } from './vanished-pins.ts';

const neighbours = { server: 's', ownNames: new Set<string>(), others: new Map() };
const calm = { description: 'Reads notes from a folder.' };

function pinOf(name: string, more: Partial<StoredPin> = {}): StoredPin {
  const definition = { name, ...calm };
  return {
    ...{ server: 's', kind: 'tool', name, source: 'here', state: 'approved', since: 0, times: 0, passes: 0 },
    ...{ approved: { fingerprint: fingerprintOf(definition), definition }, pending: null, basis: null, faded: null },
    ...{ grade: null, reasons: [], told: null, toldAt: null, refused: null, shown: null, shownTo: null },
    ...{ decidedBy: null, decidedAt: null, undo: null, ...more },
  };
}

async function pinsWith(pins: readonly StoredPin[]) {
  const store = { listPins: async () => [...pins], savePins: async () => {} };
  const judge = async (order: JudgeOrder) => judgeCases(order);
  const kept = new Pins({ store, clock: new ManualClock(), approvesNew: () => false, judge });
  await kept.open();
  const see = (names: readonly string[], words: object = calm) =>
    kept.judge(
      's',
      names.map((name) => {
        const definition = { name, ...words };
        const wording = { fingerprint: fingerprintOf(definition), definition };
        return { server: 's', source: 'here', kind: 'tool', name, wording } as const;
      }),
      neighbours,
    );
  return { kept, see, of: (name: string) => kept.find('s', 'here', 'tool', name) };
}

const many = (length: number, more: Partial<StoredPin> = {}) =>
  Array.from({ length }, (_, at) => pinOf(`t${at}`, { since: at, ...more }));

test('of many things that are gone the words of the newest are kept, and of what somebody decided', async () => {
  const decided = pinOf('decided', { decidedBy: 'owner', since: -1 });
  const { kept, see, of } = await pinsWith([decided, ...many(limits.vanishedWordings + 10)]);
  await see(['other']);
  const spoken = kept.list('s').filter(({ approved }) => approved !== null);
  assert.equal(spoken.length, limits.vanishedWordings + 1);
  assert.deepEqual([of('decided')?.approved === null, of('t0')?.approved, of('t10')?.approved], [false, null, null]);
  assert.ok(of('t11')?.approved);
  assert.equal(kept.unsaved('s').pins.length, 12);
});

test('a definition that comes back as approved is approved, and otherwise withheld', async () => {
  const { see, of, kept } = await pinsWith(many(limits.vanishedWordings + 3));
  await see([]);
  assert.deepEqual(kept.countWaiting('s'), { heldCount: 0, changedCount: 0, markedCount: 0 });
  await see(['t0']);
  assert.deepEqual([of('t0')?.state, of('t0')?.approved?.definition], ['approved', { name: 't0', ...calm }]);
  await see(['t1'], { description: 'Reads one note.' });
  assert.deepEqual([of('t1')?.state, of('t1')?.approved], ['held', null]);
  await see(['t1']);
  assert.equal(of('t1')?.state, 'approved');
});

test('a rejected definition that is long gone is rejected when it comes back', async () => {
  const words = { description: 'Reads one note.' };
  const refused = fingerprintOf({ name: 't0', ...words });
  const [first, ...rest] = many(limits.vanishedWordings + 5, { state: 'rejected' });
  const { see, of } = await pinsWith([{ ...(first as StoredPin), refused }, ...rest]);
  await see([]);
  assert.equal(of('t0')?.approved, null);
  await see(['t0'], words);
  assert.equal(of('t0')?.state, 'rejected');
});

test('names without end: their number is bounded, and new ones are not taken by themselves', async () => {
  const pins = many(limits.vanishedPins + 5);
  const { faded, removed } = thinOut(pins);
  assert.deepEqual([removed.length, faded.length], [5, limits.vanishedPins - limits.vanishedWordings]);
  assert.deepEqual([isCrowded(pins.slice(10)), isCrowded(pins)], [false, true]);
  const { kept, see, of } = await pinsWith(pins);
  await see(['fresh']);
  assert.deepEqual([of('fresh')?.state, of('fresh')?.reasons[0]?.code], ['held', 'unapproved']);
  assert.equal(kept.list('s').length, limits.vanishedPins + 1);
  assert.equal(kept.unsaved('s').removed?.length, 5);
});

test('long words of things that are gone are bounded together', () => {
  const definition = { name: 'long', description: 'a'.repeat(limits.vanishedChars / 4) };
  const pins = many(8).map((pin, at) => ({
    ...pin,
    approved: { fingerprint: `${at}`, definition: { ...definition } },
  }));
  assert.deepEqual(
    thinOut(pins).faded.map(({ name }) => name),
    ['t4', 't3', 't2', 't1', 't0'],
  );
});

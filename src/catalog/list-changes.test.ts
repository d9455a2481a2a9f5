/** Tests of what a change of the catalog means for those who see a part of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServer } from '../config/config.ts';
import type { ListedItem, StoredListing } from '../store/store.ts';
import { compareSnapshots, kindsChanged } from './list-changes.ts';
import { buildSnapshot, type ServerEntry, type Snapshot } from './snapshot.ts';

const items: readonly ListedItem[] = [
  { kind: 'tool', name: 'look', fingerprint: 'f1', definition: { name: 'look' } },
  { kind: 'tool', name: 'find', fingerprint: 'f2', definition: { name: 'find' } },
  { kind: 'prompt', name: 'ask', fingerprint: 'f3', definition: { name: 'ask' } },
];

/** One server with two tools and a prompt, as the config has it. */
function snapshotOf(entry: Record<string, unknown>, listed: readonly ListedItem[] = items): Snapshot {
  // Only these members are used.
  const listing = { items: listed, listedAt: 1, capabilities: {} } as unknown as StoredListing;
  return buildSnapshot([parseServer('s', { command: 'serve', ...entry }, {}, 'file')], () => listing);
}

function isIn(project: string): (server: ServerEntry) => boolean {
  return ({ spec }) => spec.projects.includes(project);
}
const isAny = () => true;

test('who sees a server that joins or leaves hears of all it has; who saw it before and after does not', () => {
  const changes = compareSnapshots(
    snapshotOf({ projects: ['shop', 'both'] }),
    snapshotOf({ projects: ['both', 'school'] }),
  );
  for (const project of ['shop', 'school'])
    assert.deepEqual(kindsChanged(changes, isIn(project)), ['tools', 'prompts'], project);
  for (const project of ['both', 'none']) assert.deepEqual(kindsChanged(changes, isIn(project)), [], project);
  assert.deepEqual(kindsChanged(changes, isAny), []);
});

test('nothing that is seen differs: nothing changed', () => {
  const before = snapshotOf({ projects: ['a', 'b'] });
  const same = [
    { projects: ['b', 'a'] },
    { projects: ['a', 'b'], timeoutMs: 5_000 },
    { projects: ['a', 'b'], permissions: { look: 'ask' } },
  ];
  for (const entry of same) assert.deepEqual(compareSnapshots(before, snapshotOf(entry)), [], JSON.stringify(entry));
  const empty = compareSnapshots(snapshotOf({ projects: ['a'] }, []), snapshotOf({ projects: ['b'] }, []));
  assert.deepEqual(empty, []);
});

test('whatever the owner edits, those who see the server hear of the lists that differ, and nobody else', () => {
  const plain = { projects: ['shop'] };
  const edits: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{ tools: ['look'] }, ['tools']],
    [{ permissions: { look: 'deny' } }, ['tools']],
    [{ aliases: { see: 'look' } }, ['tools']],
    [{ enabled: false }, ['tools', 'prompts']],
  ];
  for (const [edit, kinds] of edits) {
    const [before, after] = [snapshotOf(plain), snapshotOf({ ...plain, ...edit })];
    for (const changes of [compareSnapshots(before, after), compareSnapshots(after, before)]) {
      assert.deepEqual(kindsChanged(changes, isIn('shop')), kinds, JSON.stringify(edit));
      assert.deepEqual(kindsChanged(changes, isIn('school')), [], JSON.stringify(edit));
    }
  }
  const moved = compareSnapshots(snapshotOf({ aliases: { see: 'look' } }), snapshotOf({ aliases: { see: 'find' } }));
  assert.deepEqual(kindsChanged(moved, isAny), ['tools']);
});

test('a server that is as it was keeps its entry, and one that was listed again has another', () => {
  const specs = ['a', 'b'].map((name) => parseServer(name, { command: 'serve' }, {}, 'file'));
  const listings = new Map(specs.map(({ name }) => [name, { items, listedAt: 1 } as unknown as StoredListing]));
  const before = buildSnapshot(specs, ({ name }) => listings.get(name));
  listings.set('b', { items, listedAt: 2 } as unknown as StoredListing);
  const after = buildSnapshot(specs, ({ name }) => listings.get(name), before);
  assert.equal(after.servers.get('a'), before.servers.get('a'));
  assert.notEqual(after.servers.get('b'), before.servers.get('b'));
  assert.deepEqual(compareSnapshots(before, after), []);
  const edited = specs.map((spec) => ({ ...spec, isEnabled: false }));
  assert.equal(buildSnapshot(edited, ({ name }) => listings.get(name), after).tools.size, 0);
});

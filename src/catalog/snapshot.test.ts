/** Tests of snapshots: what stays as it was, and what counts as other tools. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServer } from '../config/config.ts';
import type { ListedItem } from '../store/store.ts';
import { buildSnapshot, type Entry, hasOtherTools, type ShownListing, type Snapshot } from './snapshot.ts';

const items: readonly ListedItem[] = [
  { kind: 'tool', name: 'look', fingerprint: 'f1', definition: { name: 'look' } },
  { kind: 'prompt', name: 'ask', fingerprint: 'f3', definition: { name: 'ask' } },
];

// Only these members are used.
function listingOf(
  listed: readonly (ListedItem & Pick<Entry, 'hold'>)[],
  listedAt = 1,
  held: readonly string[] = [],
): ShownListing {
  const kinds = { tool: new Set(held), resource: new Set(), template: new Set(), prompt: new Set() };
  return { items: [], listedAt, shown: { items: listed, held: kinds, words: {} } } as unknown as ShownListing;
}

test('a server that is as it was keeps its entry, and one that was listed again has another', () => {
  const specs = ['a', 'b'].map((name) => parseServer(name, { command: 'serve' }, {}, 'file'));
  const listings = new Map(specs.map(({ name }) => [name, listingOf(items)]));
  const before = buildSnapshot(specs, ({ name }) => listings.get(name));
  listings.set('b', listingOf(items, 2));
  const after = buildSnapshot(specs, ({ name }) => listings.get(name), before);
  assert.equal(after.servers.get('a'), before.servers.get('a'));
  assert.notEqual(after.servers.get('b'), before.servers.get('b'));
  assert.equal(hasOtherTools(before, after), false);
  const edited = specs.map((spec) => ({ ...spec, isEnabled: false }));
  assert.equal(buildSnapshot(edited, ({ name }) => listings.get(name), after).tools.size, 0);
});

test('tools are others when one came, went or changed, and when the owner says something else of their server', () => {
  const spec = parseServer('s', { command: 'serve' }, {}, 'file');
  const before = buildSnapshot([spec], () => listingOf(items));
  const [tool, prompt] = items as [ListedItem, ListedItem];
  for (const listed of [[], [prompt], [{ ...tool, fingerprint: 'f9' }], [...items, { ...tool, name: 'find' }]])
    assert.equal(
      hasOtherTools(
        before,
        buildSnapshot([spec], () => listingOf(listed)),
      ),
      true,
      JSON.stringify(listed),
    );
  assert.equal(
    hasOtherTools(
      before,
      buildSnapshot([spec], () => listingOf([tool])),
    ),
    false,
  );
  assert.equal(
    hasOtherTools(
      before,
      buildSnapshot([], () => undefined),
    ),
    true,
  );
  const email = parseServer('s', { command: 'serve', category: 'email' }, {}, 'file');
  assert.equal(
    hasOtherTools(
      before,
      buildSnapshot([email], () => listingOf(items)),
    ),
    true,
  );
});

test('a tool on hold is shown and says so, also by its alias; one that is held back is not there, nor is what stands for it', () => {
  const spec = parseServer('s', { command: 'serve', aliases: { peek: 'look', hide: 'gone' } }, {}, 'file');
  const hold = { state: 'changed', since: 1, reasons: [] } as const;
  const [tool] = items as [ListedItem];
  const snapshot = buildSnapshot([spec], () => listingOf([{ ...tool, hold }], 1, ['gone']));
  assert.deepEqual(
    [...snapshot.tools.values()].map(({ key, hold: held }) => [key, held]),
    [
      ['s:look', hold],
      ['s:peek', hold],
    ],
  );
  assert.deepEqual([...(snapshot.servers.get('s')?.heldTools ?? [])], ['gone', 'hide']);
  const calm = buildSnapshot([spec], () => listingOf([tool]));
  assert.deepEqual(
    [
      hasOtherTools(snapshot, calm),
      hasOtherTools(
        snapshot,
        buildSnapshot([spec], () => listingOf([{ ...tool, hold }])),
      ),
    ],
    [true, false],
  );
});

test('a name that the owner gave to a tool stays with it, whatever the server calls its own', () => {
  const [tool] = items as [ListedItem];
  const taker = {
    ...tool,
    name: 'peek',
    fingerprint: 'another',
    definition: { name: 'peek', description: 'Sends it.' },
  };
  const spec = parseServer('s', { command: 'serve', aliases: { peek: 'look' } }, {}, 'file');
  const named = (snapshot: Snapshot) => [...snapshot.tools.values()].map(({ key, serverName }) => [key, serverName]);
  const both = buildSnapshot([spec], () => listingOf([tool, taker]));
  assert.deepEqual(named(both), [
    ['s:look', 'look'],
    ['s:peek', 'look'],
  ]);
  // Nor when what it stands for is gone, or the other one is held back.
  assert.deepEqual(named(buildSnapshot([spec], () => listingOf([taker]))), []);
  const held = buildSnapshot([spec], () => listingOf([tool], 1, ['peek']));
  assert.deepEqual([...(held.servers.get('s')?.heldTools ?? [])], []);
});

/** Tests of snapshots: what stays as it was, and what counts as other tools. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServer } from '../config/config.ts';
import type { ListedItem } from '../store/store.ts';
import {
  buildSnapshot,
  canonicalOf,
  type Entry,
  hasOtherTools,
  type Rewording,
  type ShownListing,
  type Snapshot,
  wordingFingerprint,
} from './snapshot.ts';

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
  const shown = { items: listed, held: kinds, words: {} };
  return { items: listed, listedAt, shown, rewordings: new Map() } as unknown as ShownListing;
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

test('tools are found by their keys and come in the order of servers and names, those of a disabled server not at all', () => {
  const named = (...names: string[]) =>
    names.map((name): ListedItem => ({ kind: 'tool', name, fingerprint: name, definition: { name } }));
  const specs = ['b', 'off', 'a'].map((name) =>
    parseServer(name, { command: 'serve', enabled: name !== 'off' }, {}, 'file'),
  );
  const { tools } = buildSnapshot(specs, () => listingOf(named('look', 'a:b')));
  const keys = ['a:a:b', 'a:look', 'b:a:b', 'b:look'];
  assert.deepEqual([[...tools.keys()], [...tools.values()].map(({ key }) => key), tools.size], [keys, keys, 4]);
  assert.deepEqual(
    [...tools].map(([key, tool]) => tools.has(key) && tools.get(key) === tool && tool.key),
    keys,
  );
  for (const key of ['off:look', 'a:', 'a', '', ':look', 'c:look']) assert.equal(tools.has(key), false, key);
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

test('a tool on hold is shown and says so, also by its alias; one that is withheld is not there, nor is what stands for it', () => {
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
  // Nor when what it stands for is gone, or the other one is withheld.
  assert.deepEqual(named(buildSnapshot([spec], () => listingOf([taker]))), []);
  const held = buildSnapshot([spec], () => listingOf([tool], 1, ['peek']));
  assert.deepEqual([...(held.servers.get('s')?.heldTools ?? [])], []);
});

const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
const reader = { name: 'look', title: 'Look', description: 'Looks.', inputSchema };
const promoted = { description: 'Shows a file.', example: 'look({ path: "a" })' };
const spec = parseServer('s', { command: 'serve', aliases: { peek: 'look' } }, {}, 'file');

/** The tool as agents read it where `shown` is approved and the server offers `offered`. */
function withRewording(shown: ListedItem['definition'], offered = shown, more: Partial<Rewording> = {}): Snapshot {
  const rewording = { ...promoted, fingerprint: wordingFingerprint(reader), ...more };
  const listing = listingOf([itemOf(shown)]);
  return buildSnapshot([spec], () => ({
    ...listing,
    items: [itemOf(offered)],
    rewordings: new Map([['look', rewording]]),
  }));
}

test('a promoted description is read in place of the own, by the alias too, and nothing else differs', () => {
  const plain = buildSnapshot([spec], () => listingOf([itemOf(reader)]));
  const snapshot = withRewording(reader);
  for (const name of ['look', 'peek']) {
    const [tool, before] = [snapshot, plain].map(({ tools }) => tools.get(`s:${name}`)) as [Entry, Entry];
    assert.equal(tool.definition.inputSchema, inputSchema);
    assert.deepEqual(tool.definition, { ...before.definition, description: promoted.description });
    assert.deepEqual(canonicalOf(tool), before.definition);
    assert.deepEqual([tool.fingerprint, tool.promoted?.example], [before.fingerprint, promoted.example]);
  }
  assert.equal(hasOtherTools(plain, snapshot), true);
  assert.equal(hasOtherTools(snapshot, withRewording(reader)), false);
  assert.equal(hasOtherTools(snapshot, withRewording(reader, reader, { description: 'Shows.' })), true);
});

test('a promotion is suspended while the name, description or input schema is another, approved or offered', () => {
  const isHeld = (snapshot: Snapshot) => snapshot.tools.get('s:look')?.promoted !== undefined;
  assert.equal(isHeld(withRewording({ ...reader, title: 'Other', icons: [{ src: 'data:,' }] })), true);
  const others = [
    { ...reader, name: 'glance' },
    { ...reader, description: 'Looks twice.' },
    { name: 'look', inputSchema },
    { ...reader, inputSchema: { type: 'object' } },
  ];
  for (const other of others) {
    assert.equal(isHeld(withRewording(other)), false, JSON.stringify(other));
    assert.equal(isHeld(withRewording(reader, other)), false, 'while the new one waits for review');
  }
});

function itemOf(definition: ListedItem['definition']): ListedItem {
  return { kind: 'tool', name: 'look', fingerprint: JSON.stringify(definition), definition };
}

/** Tests of snapshots: what stays as it was, and what counts as other tools. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServer } from '../config/config.ts';
import type { ListedItem, StoredListing } from '../store/store.ts';
import { buildSnapshot, hasOtherTools } from './snapshot.ts';

const items: readonly ListedItem[] = [
  { kind: 'tool', name: 'look', fingerprint: 'f1', definition: { name: 'look' } },
  { kind: 'prompt', name: 'ask', fingerprint: 'f3', definition: { name: 'ask' } },
];

// Only these members are used.
function listingOf(listed: readonly ListedItem[], listedAt = 1): StoredListing {
  return { items: listed, listedAt } as unknown as StoredListing;
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

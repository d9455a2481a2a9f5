/** A search among some of the tools answers as if there were no others: no figure reveals a hidden tool. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ask, indexOf } from '../../test/kit/meaning-index.ts';
import type { SearchDocument } from './document.ts';
import { localModes } from './hit.ts';
import type { ToolIndex } from './tool-index.ts';

const crib = [
  tool('files:read_file', 'Reads a file from disk.'),
  tool('files:delete_file', 'Removes a file from disk for good.'),
  tool('weather:forecast', 'Rain, sun and temperature of the coming days.'),
  tool('mail:send', 'Sends a letter to somebody.'),
  tool('calendar:add_event', 'Puts an event into the calendar.'),
  tool('disks:wipe', 'Wipes a disk, with every file on it.'),
  tool('shop:create_invoice', 'Asks a customer for money.'),
];
/** Plain words, slips, beginnings of words, synonyms, and what nobody has. */
const queries = [
  'delete a file',
  'delte fles',
  'wype disk',
  'calend',
  'erase things on disk',
  'file event money',
  'zebra',
];

function tool(key: string, description: string): SearchDocument {
  const [server = '', name = ''] = key.split(':');
  return { key, server, serverText: '', name, description, parameters: [] };
}

test('a search finds what an index of these tools alone finds, to the last figure', () => {
  const whole = indexOf(crib);
  fc.assert(
    fc.property(fc.subarray(crib), fc.constantFrom(...queries), fc.constantFrom(...localModes), (seen, query, mode) => {
      const names = new Set(seen.map(({ key }) => key));
      const options = { limit: 9, mode };
      const found = whole.search([ask(query)], { ...options, view: names, filter: (key) => names.has(key) });
      assert.deepEqual(found, indexOf(seen).search([ask(query)], options));
    }),
    { numRuns: 300 },
  );
});

test('tools that are like another one are those that an index of these tools alone has', () => {
  const whole = indexOf(crib);
  fc.assert(
    fc.property(fc.subarray(crib, { minLength: 1 }), (seen) => {
      const names = new Set(seen.map(({ key }) => key));
      const { key, description: text } = seen[0] as SearchDocument; // there is one at least
      const like = { key, text, isByMeaning: true, limit: 9 };
      const sorted = (items: ReturnType<ToolIndex['alike']>) => items.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      const found = whole.alike({ ...like, view: names, filter: (other) => names.has(other) });
      assert.deepEqual(sorted(found), sorted(indexOf(seen).alike({ ...like, filter: () => true })));
    }),
    { numRuns: 100 },
  );
});

test('a view is weighed again after the tools have changed', () => {
  const index = indexOf(crib);
  const view = { has: (key: string) => key.startsWith('files:') || key === 'new:disk' };
  const look = () => index.search([ask('disk')], { limit: 9, mode: 'bm25', view, filter: view.has });
  const keys = () => look().map((hit) => hit.key);
  const before = look();
  assert.deepEqual(keys(), ['files:read_file', 'files:delete_file']);
  index.add(tool('new:disk', 'All about the disk.'));
  assert.equal(keys()[0], 'new:disk');
  index.remove('new:disk');
  assert.deepEqual(look(), before);
});

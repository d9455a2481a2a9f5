/** Tests of the index of names: it answers like one made afresh, and its answers cost no more where many servers have a name. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type KnownNames, NameIndex } from './known-names.ts';
import { nameShape } from './look-alikes.ts';

const servers = ['mail', 'mali', 'ma-il', 'post', 'posst', 'search'];
const tools = [
  'search',
  'Search',
  'get_file',
  'getFile',
  'send_letter',
  'sned_letter',
  'send_1etter',
  'send_letter_v2',
];

const server = fc.constantFrom(...servers);
const names = fc.subarray(tools).map((some) => new Set(some));
const steps = fc.array(fc.tuple(server, fc.option(names, { nil: undefined })), { maxLength: 20 });

/** Everything that can be asked. */
function answersOf(known: KnownNames): unknown {
  const isMeant = (tool: string) => tool !== 'Search';
  return [
    ...[...servers, ...tools].map((word) => [known.hasServer(word), known.isNamesake(word), known.ownerOf(word)]),
    ...servers.flatMap((one) => tools.map((tool) => known.hasTool(one, tool.toLowerCase()))),
    ...tools.flatMap((tool) => [
      known.alike(nameShape(tool)),
      known.likeShape(nameShape(tool), isMeant),
      known.likeLetters(tool, isMeant),
      ...servers.map((one) => known.spelledWithServer(nameShape(one) + nameShape(tool))),
    ]),
    known.spelledOut,
  ];
}

test('an index whose servers came, changed and went answers like one made of what is left', () => {
  fc.assert(
    fc.property(steps, server, (changes, own) => {
      const index = new NameIndex();
      const left = new Map<string, ReadonlySet<string>>();
      for (const [name, some] of changes) {
        index.set(name, some);
        if (some === undefined) left.delete(name);
        else left.set(name, some);
      }
      const sorted = new NameIndex(new Map([...left].filter(([name]) => name !== own).sort()));
      assert.deepEqual(answersOf(index.beside(own)), answersOf(sorted.beside(own)));
    }),
    { numRuns: 200 },
  );
});

test('a name that a thousand servers have is compared once, and numbered names with none of the others', () => {
  const index = new NameIndex();
  const numbered = (from: number) => Array.from({ length: 20 }, (_, at) => `get_item_${10_000 + 20 * from + at}`);
  for (let at = 0; at < 1_000; at += 1) index.set(`server-${at}`, new Set(['search', 'send_letter', ...numbered(at)]));
  const known = index.beside('server-7');
  let compared = 0;
  const count = () => {
    compared += 1;
    return false;
  };
  assert.deepEqual(known.alike(nameShape('search')), [{ server: 'server-0', tool: 'search' }]);
  known.likeShape(nameShape('send_letter'), count);
  for (const name of numbered(7)) known.likeLetters(name, count);
  assert.equal(compared, 1 + 20, 'each with itself alone');
});

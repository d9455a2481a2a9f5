/** Public names: legal, short, one for each entry and one entry for each, whatever servers call their tools. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type NamedEntry, NameTable, publicName } from './naming.ts';

const named = (server: string, name: string): NamedEntry => ({ key: `${server}:${name}`, server, name });

const serverName = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/);
const toolName = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.-]{1,90}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }),
  fc.constantFrom('a__b', 'b', 'c', 'a.b', 'constructor', '__proto__', 'toString'),
);
const plain = fc.uniqueArray(fc.tuple(serverName, toolName), { maxLength: 30, selector: ([a, b]) => `${a}:${b}` });
const separator = fc.constantFrom('.', '__', '-');

/** Entries, and beside them tools that bear the public names of others. */
function withImpostors(pairs: readonly (readonly [string, string])[], between: string): NamedEntry[] {
  const honest = pairs.map(([server, name]) => named(server, name));
  const impostors = honest.flatMap((entry) => {
    const rest = publicName(entry, between).slice(entry.server.length + between.length);
    return rest === '' ? [] : [named(entry.server, rest)];
  });
  return [...new Map([...impostors, ...honest].map((entry) => [entry.key, entry])).values()];
}

test('every entry has one legal name of at most 64 characters, and every name one entry', () => {
  fc.assert(
    fc.property(plain, separator, (pairs, between) => {
      const entries = withImpostors(pairs, between);
      const table = new NameTable(entries, between);
      const names = entries.map((entry) => table.nameOf(entry));
      assert.equal(new Set(names).size, entries.length);
      for (const [at, name] of names.entries()) {
        assert.match(name, /^[A-Za-z0-9_.-]{1,64}$/);
        assert.equal(table.find(name), entries[at]);
      }
      assert.deepEqual([...table.names()].sort(), names.toSorted());
    }),
    { numRuns: 300 },
  );
});

test('a short legal name is the server, the separator and the name', () => {
  assert.equal(publicName(named('github', 'create_issue'), '.'), 'github.create_issue');
  assert.equal(publicName(named('github', 'create_issue'), '__'), 'github__create_issue');
});

test('a long or illegal name is shortened in a stable way that keeps its start', () => {
  const long = publicName(named('github', 'x'.repeat(100)), '.');
  assert.equal(long.length, 64);
  assert.match(long, /^github\.x{48}_[0-9a-f]{8}$/);
  assert.equal(publicName(named('github', 'x'.repeat(100)), '.'), long);
  assert.notEqual(publicName(named('github', `${'x'.repeat(100)}y`), '.'), long);
  assert.match(
    publicName(named('files', 'lire à côté'), '.'),
    /^files\.lire_c_t_[0-9a-f]{8}$|^files\.lire_[\w.-]+_[0-9a-f]{8}$/,
  );
});

test('of two that want one name, the first keeps it', () => {
  const [first, second] = [named('a', 'b__c'), named('a__b', 'c')];
  const table = new NameTable([first, second], '__');
  assert.equal(table.nameOf(first), 'a__b__c');
  assert.match(table.nameOf(second), /^a__b__c_[0-9a-f]{8}$/);
  assert.equal(table.find('a__b__c'), first);
  assert.equal(table.find('nothing'), undefined);
});

/** Which tools count as the same, and what is left of a list when they are put together. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openTable, textOfTool, toVector, type Vector } from '../meaning/meaning.ts';
import type { SearchDocument } from './document.ts';
import type { Hit } from './hit.ts';
import { areTwins, type Candidate, collapseTwins, likenessOf } from './twins.ts';

const servers = Array.from({ length: 50 }, (_, at) => `server-${String(at).padStart(2, '0')}`);

test('one tool on fifty servers is named once, with the other forty-nine in order', () => {
  const keys = servers.map((server) => `${server}:read_file`);
  const found = collapse([...keys.slice(0, 20), 'mail:send', ...keys.slice(20)], 10);
  assert.deepEqual(
    found.map((hit) => hit.key),
    ['server-00:read_file', 'mail:send'],
  );
  assert.deepEqual(found[0]?.equals, keys.slice(1));
  assert.deepEqual(found[1]?.equals, []);
});

test('spelling and order of the words in a name do not tell tools apart', () => {
  const found = collapse(['a:read_file', 'b:readFile', 'c:file-read', 'd:Read_Files', 'e:read_folder'], 10);
  assert.deepEqual(found[0]?.equals, ['b:readFile', 'c:file-read', 'd:Read_Files']);
  assert.equal(found[1]?.key, 'e:read_folder');
});

test('tools of one name and of equal parameters that are described in clearly other words stay apart', () => {
  const texts = {
    'web:search': 'Searches the web for pages about a topic.',
    'mail:search': 'Searches the mailbox for letters about a topic.',
  };
  assert.equal(collapse(Object.keys(texts), 10, texts).length, 2);
  // They are not so far from each other that any measure would do.
  const [web, mail] = Object.entries(texts).map(([key, text]) => vectorFor(toolOf(key, text)));
  assert.ok(nearness(web, mail) > 0.5, `${nearness(web, mail)}`);
});

test('tools without a description, or with one that says next to nothing, never collapse', () => {
  const keys = ['a:search', 'b:search', 'c:search', 'd:search'];
  for (const text of ['', 'Search.', 'Get a user by its ID.'])
    assert.equal(collapse(keys, 10, Object.fromEntries(keys.map((key) => [key, text]))).length, 4, text);
  // One that says something is no twin of one that does not.
  assert.equal(collapse(keys.slice(0, 2), 10, { 'b:search': '' }).length, 2);
});

test('a tool of several products under one name and text stays apart where its parameters differ', () => {
  const takes = { 'shop:search': ['sku'], 'wiki:search': ['page'], 'mail:search': ['folder'], 'code:search': [] };
  const keys = Object.keys(takes);
  assert.equal(collapse(keys, 10, {}, takes).length, 4);
  // The order in which a server lists them tells nothing.
  const same = { 'a:search': ['text', 'limit'], 'b:search': ['limit', 'text'] };
  assert.deepEqual(collapse(Object.keys(same), 10, {}, same)[0]?.equals, ['b:search']);
});

test('tools of one name that are described in other words but mean the same are twins', () => {
  const texts = {
    'a:read_file': 'Reads the contents of a file from the file system.',
    'b:read_file': 'Read the contents of a file on the file system',
  };
  assert.deepEqual(collapse(Object.keys(texts), 10, texts)[0]?.equals, ['b:read_file']);
});

test('without vectors only the same description makes twins', () => {
  const candidate = (server: string, text: string): Candidate => ({
    likeness: { server, name: 'read', text, parameters: 'path' },
    vector: null,
  });
  const [text, other] = ['Reads the file that a path leads to.', 'Reads the file that a path leads to!'];
  assert.ok(areTwins(candidate('a', text), candidate('b', text)));
  assert.ok(!areTwins(candidate('a', text), candidate('b', other)));
  assert.ok(!areTwins({ ...candidate('a', text), vector: fixed(1) }, candidate('b', other)));
  assert.ok(areTwins({ ...candidate('a', text), vector: fixed(1) }, { ...candidate('b', other), vector: fixed(1) }));
});

test('tools of one server are never put together, not even under a twin of both', () => {
  const likeness = { server: 'a', name: 'get user', text: 'Gets one of the users of the product.', parameters: '' };
  const alike: Candidate = { likeness, vector: fixed(1) };
  assert.ok(!areTwins(alike, alike));
  assert.ok(areTwins(alike, { ...alike, likeness: { ...likeness, server: 'b' } }));
  assert.equal(collapse(['a:get_user', 'a:get_users', 'a:user_get'], 10).length, 3);
  const found = collapse(['a:get_user', 'b:get_user', 'a:get_users', 'b:get_users'], 10);
  assert.deepEqual(
    found.map(({ key, equals }) => [key, equals]),
    [
      ['a:get_user', ['b:get_user']],
      ['a:get_users', ['b:get_users']],
    ],
  );
});

test('order and limit are kept, no tool is lost before the limit, and none is named twice', () => {
  const names = ['read', 'write', 'list'];
  const key = fc.record({ server: fc.constantFrom('a', 'b', 'c', 'd'), name: fc.constantFrom(...names) });
  const list = fc.uniqueArray(
    key.map(({ server, name }) => `${server}:${name}`),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(list, fc.integer({ min: 0, max: 5 }), (keys, limit) => {
      const found = collapse(keys, limit);
      const places = found.map((hit) => keys.indexOf(hit.key));
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
      const wanted = new Set(keys.map((one) => one.split(':')[1])).size;
      assert.equal(found.length, Math.min(limit, wanted));
      const named = found.flatMap((hit) => [hit.key, ...hit.equals]);
      assert.equal(new Set(named).size, named.length);
      if (limit >= wanted) assert.equal(named.length, keys.length);
    }),
  );
});

test('a live twin stands for one that is down, and is named where the other stood', () => {
  const down = new Set(['a:read', 'c:read']);
  const found = collapse(['a:read', 'x:other', 'b:read', 'c:read'], 3, {}, {}, { down });
  assert.deepEqual(
    found.map(({ key, equals }) => [key, ...equals]),
    [['b:read', 'a:read', 'c:read'], ['x:other']],
  );
});

test('other accounts are named apart, and never represent one that is down', () => {
  const areAccounts = (a: string, b: string) => [a, b].every((server) => server.startsWith('hub-'));
  const keys = ['hub-work:read', 'mirror:read', 'hub-private:read'];
  const named = (options: Parameters<typeof collapseTwins>[3]) =>
    collapse(keys, 1, {}, {}, options).map(({ key, equals, accounts }) => ({ key, equals, accounts }));
  const atWork = { key: 'hub-work:read', equals: ['mirror:read'], accounts: ['hub-private:read'] };
  assert.deepEqual(named({ areAccounts }), [atWork]);
  assert.deepEqual(named({ areAccounts, down: new Set(['hub-work:read', 'mirror:read']) }), [atWork]);
  // Both accounts are as far from a mirror of somebody else as before.
  assert.deepEqual(named({ areAccounts, down: new Set(['hub-work:read']) }), [
    { key: 'mirror:read', equals: ['hub-work:read', 'hub-private:read'], accounts: [] },
  ]);
});

/** By key; a tool whose text or parameters are not given has the same as the others. */
function collapse(
  keys: readonly string[],
  limit: number,
  texts: Readonly<Record<string, string>> = {},
  parameters: Readonly<Record<string, readonly string[]>> = {},
  options?: Parameters<typeof collapseTwins>[3],
): Hit[] {
  const explanation = {
    isNamed: false,
    words: [],
    similar: [],
    lexical: null,
    coverage: null,
    meaning: null,
    usage: null,
  };
  const rest = { need: 0, relevance: 0.5, explanation, equals: [], accounts: [] };
  const hits = keys.map((key, at) => ({ key, score: 1 / (at + 1), ...rest }));
  const candidateOf = (key: string) => {
    const document = toolOf(key, texts[key] ?? 'Does what its name says, and nothing else.', parameters[key]);
    return { likeness: likenessOf(document), vector: vectorFor(document) };
  };
  return collapseTwins(hits, limit, candidateOf, options);
}

function toolOf(key: string, description: string, parameters: readonly string[] = ['id']): SearchDocument {
  const [server = '', name = ''] = key.split(':');
  const described = parameters.map((parameter) => ({ name: parameter, description: '' }));
  return { key, server, serverText: '', name, description, parameters: described };
}

function vectorFor(document: SearchDocument): Vector | null {
  return openTable().vectorOf(textOfTool(document));
}

function nearness(a: Vector | null | undefined, b: Vector | null | undefined): number {
  if (!a || !b) return 0;
  return a.values.reduce((sum, value, at) => sum + value * (b.values[at] ?? 0), 0) * a.scale * b.scale;
}

function fixed(value: number): Vector | null {
  return toVector(Array.from({ length: 16 }, () => value));
}

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

test('tools of one name that mean different things stay apart', () => {
  const texts = {
    'web:search': 'Searches the web for pages.',
    'flights:search': 'Finds flights between two airports.',
  };
  assert.equal(collapse(Object.keys(texts), 10, texts).length, 2);
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
    likeness: { server, name: 'read', text },
    vector: null,
  });
  assert.ok(areTwins(candidate('a', 'Reads.'), candidate('b', 'Reads.')));
  assert.ok(!areTwins(candidate('a', 'Reads.'), candidate('b', 'Reads!')));
  assert.ok(!areTwins({ ...candidate('a', 'Reads.'), vector: fixed(1) }, candidate('b', 'Reads!')));
});

test('tools of one server are never put together, not even under a twin of both', () => {
  const alike: Candidate = { likeness: { server: 'a', name: 'get user', text: 'Gets.' }, vector: fixed(1) };
  assert.ok(!areTwins(alike, alike));
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

/** By key; a tool whose text is not given has the same as the others. */
function collapse(keys: readonly string[], limit: number, texts: Record<string, string> = {}): Hit[] {
  const explanation = { words: [], lexical: null, coverage: null, meaning: null, usage: null };
  const hits = keys.map((key, at) => ({ key, score: 1 / (at + 1), relevance: 0.5, explanation, equals: [] }));
  return collapseTwins(hits, limit, (key) => {
    const [server = '', name = ''] = key.split(':');
    const description = texts[key] ?? 'Does what its name says.';
    const document: SearchDocument = { key, server, serverText: '', name, description, parameters: [] };
    return { likeness: likenessOf(document), vector: openTable().vectorOf(textOfTool(document)) };
  });
}

function fixed(value: number): Vector | null {
  return toVector(Array.from({ length: 16 }, () => value));
}

/** Queries as they are remembered: one form for what is typed differently, bounded, without secrets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mostQueryCharacters, normaliseQuery } from './normalise-query.ts';

test('capitals and spaces make no difference', () => {
  assert.equal(normaliseQuery('  Create\n an   ISSUE\t'), 'create an issue');
  assert.equal(normaliseQuery(' \n '), '');
});

test('a long query is cut, and never through a character', () => {
  assert.equal(normaliseQuery('ab '.repeat(5_000)).length, mostQueryCharacters - 1);
  const cut = normaliseQuery(`${'a'.repeat(mostQueryCharacters - 1)}😀`);
  assert.equal(cut, 'a'.repeat(mostQueryCharacters - 1));
});

test('a secret in a query is not remembered', () => {
  const kept = normaliseQuery(`log in with ghp_${'a1B2'.repeat(8)} and password  =  hunter22`);
  assert.equal(kept, 'log in with *** and password = ***');
});

test('what is remembered stays as it is when it is read again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (query) => {
      const once = normaliseQuery(query);
      assert.ok(once.length <= mostQueryCharacters);
      assert.equal(normaliseQuery(once), once);
    }),
  );
});

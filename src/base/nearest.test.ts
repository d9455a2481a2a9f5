/** Nearest names: what was probably meant, and nothing that was not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { workMs } from '../../test/kit/work-ms.ts';
import { editDistance, NearNames, nearest } from './nearest.ts';

const names = ['create_issue', 'list_issues', 'get_file', 'delete_file', 'search'];

test('slips of the finger are found, best first', () => {
  assert.equal(nearest('create_isue', names)[0], 'create_issue');
  assert.equal(nearest('craete_issue', names)[0], 'create_issue');
  assert.equal(nearest('CreateIssue', names)[0], 'create_issue');
  assert.equal(nearest('get-file', names)[0], 'get_file');
  assert.equal(nearest('issues', names)[0], 'list_issues');
});

test('a name that resembles nothing gets no suggestions', () => {
  assert.deepEqual(nearest('quantum', names), []);
  assert.deepEqual(nearest('', names), []);
});

test('at most as many as asked for, in a stable order', () => {
  const many = ['abcd1', 'abcd2', 'abcd3', 'abcd4'];
  assert.deepEqual(nearest('abcd', many), ['abcd1', 'abcd2', 'abcd3']);
  assert.deepEqual(nearest('abcd', many.toReversed(), 2), ['abcd1', 'abcd2']);
});

test('distance is that of single edits and swaps of neighbours', () => {
  assert.equal(editDistance('', 'abc'), 3);
  assert.equal(editDistance('kitten', 'sitting'), 3);
  assert.equal(editDistance('ab', 'ba'), 1);
});

test('distance is symmetric, and zero for equals only', () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      assert.equal(editDistance(a, b), editDistance(b, a));
      assert.equal(editDistance(a, b) === 0, a === b);
    }),
  );
});

test('a distance beyond the limit is only known to be beyond it', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 });
  fc.assert(
    fc.property(word, word, fc.nat(10), (a, b, most) => {
      const distance = editDistance(a, b);
      const bounded = editDistance(a, b, most);
      assert.ok(
        distance <= most ? bounded === distance : bounded > most,
        `${bounded} for ${distance}, at most ${most}`,
      );
    }),
  );
});

test('names that are left out unread are no nearer than those that are told', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_'), minLength: 1, maxLength: 10 });
  const share = (a: string, b: string) => {
    const longer = Math.max(a.length, b.length);
    const isContained = Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a));
    return Math.min(editDistance(a, b) / longer, isContained ? 0.4 : 1);
  };
  const plain = (name: string) => name.replace(/_+/g, '_');
  fc.assert(
    fc.property(word, fc.uniqueArray(word, { maxLength: 30 }), (wanted, all) => {
      const scored = all.map((name) => ({ name, score: share(plain(wanted), plain(name)) }));
      const expected = scored
        .filter(({ score }) => score <= 0.45)
        .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
        .slice(0, 3);
      const near = new NearNames(all);
      for (let again = 0; again < 2; again += 1)
        assert.deepEqual(
          near.to(wanted),
          expected.map(({ name }) => name),
        );
    }),
  );
});

test('very long names are compared by their start, without delay', () => {
  const long = 'x'.repeat(1_000_000);
  const tookMs = workMs(() => assert.deepEqual(nearest(long, [`${long}y`, 'other']), [`${long}y`]));
  assert.ok(tookMs < 200, `${tookMs} ms`);
});

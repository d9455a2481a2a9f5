/** Queries compared by meaning: the like ones are found wherever they lie, also after others were removed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toVector, type Vector } from '../../meaning/meaning.ts';
import { AskedQueries, leastLikeness } from './asked-queries.ts';

/** Not a multiple of what the kernel reads at once. */
const width = 20;

/** Comma-separated numbers mean themselves; anything else means nothing. */
function vectorOf(text: string): Vector | null {
  const numbers = text.split(',').map(Number);
  return numbers.some(Number.isNaN) ? null : toVector([...numbers, ...Array(width).fill(0)].slice(0, width));
}

function cosine(a: Vector, b: Vector): number {
  return a.values.reduce((sum, value, at) => sum + value * (b.values[at] ?? 0), 0) * a.scale * b.scale;
}

test('a like query is found with its likeness, another is not', () => {
  const queries = new AskedQueries<string>(vectorOf, 10);
  queries.add('3,4', 'like');
  queries.add('0,0,1', 'other');
  const found = queries.likeTo('4,4');
  assert.deepEqual(
    found.map(({ item }) => item),
    ['like'],
  );
  assert.ok(Math.abs((found[0]?.likeness ?? 0) - 7 / Math.sqrt(50)) < 0.01);
});

test('the same query is like itself, even if it means nothing to the model', () => {
  const queries = new AskedQueries<string>(vectorOf, 10);
  queries.add('nothing known', 'a');
  queries.add('1,2', 'b');
  queries.add('nor this', 'c');
  assert.deepEqual(queries.likeTo('nothing known'), [{ item: 'a', likeness: 1 }]);
  assert.deepEqual(queries.likeTo('nor this'), [{ item: 'c', likeness: 1 }]);
  assert.deepEqual(queries.likeTo('1,2'), [{ item: 'b', likeness: 1 }]);
  assert.deepEqual(queries.likeTo('nobody asked'), []);
});

test('a query that was never there is not removed', () => {
  const queries = new AskedQueries<string>(vectorOf, 10);
  queries.add('1,2', 'a');
  queries.remove('2,1');
  assert.equal(queries.size, 1);
  assert.equal(queries.likeTo('1,2').length, 1);
});

test('after any adding and removing the answer is that of comparing one by one', () => {
  const number = fc.integer({ min: -5, max: 5 });
  const text = fc.oneof({ weight: 5, arbitrary: fc.tuple(number, number, number).map(String) }, fc.constant('none'));
  const act = fc.record({ text, isRemoved: fc.boolean() });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), text, (acts, asked) => {
      const queries = new AskedQueries<string>(vectorOf, 61);
      const expected = new Set<string>();
      for (const { text: query, isRemoved } of acts) {
        if (isRemoved) queries.remove(query);
        else if (queries.get(query) === undefined) queries.add(query, query);
        if (isRemoved) expected.delete(query);
        else expected.add(query);
      }
      assert.equal(queries.size, expected.size);
      const like = [...expected].filter((query) => {
        const [a, b] = [vectorOf(query), vectorOf(asked)];
        return query === asked || (a !== null && b !== null && cosine(a, b) >= leastLikeness);
      });
      const found = queries.likeTo(asked).map(({ item }) => item);
      assert.deepEqual(found.sort(), like.sort());
    }),
  );
});

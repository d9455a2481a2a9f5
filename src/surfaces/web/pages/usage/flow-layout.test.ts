/** The pictures of call sequences: chains stand in their order, and nothing is lost or drawn twice. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutFlows } from './flow-layout.ts';

const pair = (before: string, after: string, count: number) => ({ before, after, count, share: 1 });

test('a chain stands in its order, and chains without a common tool are apart, the most used first', () => {
  const flows = layOutFlows([pair('x', 'y', 5), pair('b', 'c', 9), pair('a', 'b', 9), pair('c', 'd', 8)]);
  assert.deepEqual(
    flows.map(({ toolKeys }) => toolKeys),
    [
      ['a', 'b', 'c', 'd'],
      ['x', 'y'],
    ],
  );
  assert.deepEqual(
    flows[0]?.links.map(({ from, to }) => [from, to]),
    [
      [1, 2],
      [0, 1],
      [2, 3],
    ],
  );
});

test('a branch follows its strongest link first; circles and tools that follow themselves come to an end', () => {
  const pairs = [pair('a', 'b', 2), pair('a', 'c', 7), pair('c', 'a', 1), pair('c', 'c', 3)];
  const [flow, ...others] = layOutFlows(pairs);
  assert.deepEqual([flow?.toolKeys, others], [['a', 'c', 'b'], []]);
  assert.deepEqual(
    flow?.links.map((link) => link.pair),
    pairs,
  );
  assert.deepEqual(layOutFlows([]), []);
});

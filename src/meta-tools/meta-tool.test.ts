/** Tests of the words that agents have for parameters of ours. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clamped } from '../tools/tools.ts';
import { withOwnNames } from './meta-tool.ts';

test('another word for a parameter counts as it; a name that a tool has goes first', () => {
  const read = (args: Record<string, unknown>, ...own: string[]) => withOwnNames(args, () => own);
  const discovery = ['query', 'maxResults', 'detailLevel', 'minSimilarity'];
  assert.deepEqual(read({ query: 'x', max_results: 3, detail_level: 'full', min_similarity: 0.2 }, ...discovery), {
    query: 'x',
    maxResults: 3,
    detailLevel: 'full',
    minSimilarity: 0.2,
  });
  assert.deepEqual(read({ limit: 3, maxResults: 5 }, ...discovery), { maxResults: 5 });
  assert.deepEqual(read({ maxResults: 5, limit: 3 }, ...discovery), { maxResults: 5 });
  assert.deepEqual(read({ limit: 3 }, 'pageSize', 'cursor'), { pageSize: 3 });
  assert.deepEqual(read({ limit: 3, other: 1 }, 'limit'), { limit: 3, other: 1 });
  assert.deepEqual(read({ toolKey: 'a:b', limit: 3 }, 'toolKey', 'arguments'), { toolKey: 'a:b', limit: 3 });
});

test('a number beyond its bounds counts as the bound; other values are refused', () => {
  const read = (value: unknown) => clamped(1, 100).safeParse(value).data;
  assert.deepEqual([0, -5, 1, '7', 7.4, 100, 101, 1e9].map(read), [1, 1, 1, 7, 7, 100, 100, 100]);
  assert.deepEqual(['many', {}].map(read), [undefined, undefined]);
});

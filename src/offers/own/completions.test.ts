/** Completions: beginnings before middles, the most used first, never more than a hundred. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinEqual, rankValues } from './completions.ts';

const values = [
  { text: 'create_issue', use: 1 },
  { text: 'list_issues', use: 9 },
  { text: 'issue_report', use: 0 },
  { text: 'Issues', use: 4 },
  { text: 'send', use: 99 },
];

test('names that begin with the text come before those that contain it, each with the most used first, in any case', () => {
  const { values: found, total, hasMore } = rankValues(values, 'iSSue');
  assert.deepEqual(found, ['Issues', 'issue_report', 'list_issues', 'create_issue']);
  assert.deepEqual([total, hasMore], [4, false]);
  assert.deepEqual(rankValues(values, '').values[0], 'send');
  assert.deepEqual(rankValues(values, 'nothing'), { values: [], total: 0, hasMore: false });
});

test('at most a hundred are given, and it is said how many there are', () => {
  const many = Array.from({ length: 250 }, (_, at) => ({ text: `tool_${String(at).padStart(3, '0')}`, use: 0 }));
  const { values: found, total, hasMore } = rankValues(many.reverse(), 'tool');
  assert.deepEqual([found.length, found[0], found.at(-1), total, hasMore], [100, 'tool_000', 'tool_099', 250, true]);
});

test('the same text from several places is one, with the use of all', () => {
  const joined = joinEqual([...values, { text: 'send', use: 1 }, { text: 'constructor', use: 2 }]);
  assert.equal(joined.find(({ text }) => text === 'send')?.use, 100);
  assert.equal(joined.length, values.length + 1);
});

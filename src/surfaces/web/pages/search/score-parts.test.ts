/** How a search is told on its page. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocalMode, saySegments, segmentsOf } from '../../../wording/wording.ts';
import { longestBar, rankLines, sayRankChange, searchCommand } from './score-parts.ts';

const none = { words: 0, meaning: 0, name: 0, context: 0, use: 0, caution: 0, doubt: 0, failure: 0 };

test('only parts that count are shown, those that add before those that take off', () => {
  const parts = { ...none, words: 0.5, caution: -0.15, meaning: 0.411, use: 0.001 };
  assert.equal(saySegments(segmentsOf(parts)), 'words 0.50, meaning 0.41, caution −0.15');
  assert.deepEqual(segmentsOf(null), []);
  assert.equal(longestBar([{ parts }, { parts: null }]).toFixed(3), '1.061');
  assert.ok(longestBar([]) > 0, 'nothing is divided by zero');
});

test('two answers are compared by the ranks of the tools in both', () => {
  const none = { equals: [] as string[], otherAccounts: [] };
  const ranked = (...keys: string[]) => keys.map((toolKey, at) => ({ toolKey, rank: at + 1, ...none }));
  const [before, after] = [ranked('a', 'b', 'c'), ranked('c', 'b', 'd')];
  assert.deepEqual(rankLines(before, after), [
    [1, 1],
    [2, 0],
  ]);
  assert.deepEqual(
    after.map((hit) => sayRankChange(hit, before)),
    ['↑ 2', 'same', 'new'],
  );
  assert.equal(sayRankChange({ toolKey: 'a', rank: 3, ...none }, before), '↓ 2');
  assert.equal(sayRankChange({ toolKey: 'twin', rank: 1, ...none, equals: ['a'] }, before), 'twin');
  assert.equal(sayRankChange({ toolKey: 'twin', rank: 2, ...none, otherAccounts: ['a'] }, before), '↓ 1, twin');
});

test('the command is one that a shell reads as it was meant', () => {
  assert.equal(searchCommand('toolcrib', 'create an issue', {}), 'toolcrib search create an issue --explain');
  assert.equal(
    searchCommand('toolcrib', "what's $HOME", { mode: 'bm25', server: undefined }),
    String.raw`toolcrib search 'what'\''s $HOME' --mode bm25 --explain`,
  );
  assert.equal(
    searchCommand('toolcrib', 'undo --force', { server: 'git' }),
    "toolcrib search 'undo --force' --server git --explain",
  );
});

test('only a search that asks nobody follows the typing', () => {
  assert.deepEqual(['bm25', 'hybrid', 'llm', 'cloud', undefined].map(isLocalMode), [true, true, false, false, false]);
});

/** Tests of how the needs of a search are read out of its queries. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostNeeds } from '../search/search.ts';
import { readNeeds } from './read-needs.ts';

const read: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['single words are one need', ['github', 'pull', 'request'], ['github pull request']],
  ['phrases are one need each', ['create an issue', 'send mail'], ['create an issue', 'send mail']],
  ['words in a row are one need beside phrases', ['send mail', 'GitHub', ' issue '], ['send mail', 'GitHub issue']],
  ['a word between phrases is a need', ['read file', 'weather', 'send mail'], ['read file', 'weather', 'send mail']],
  ['names are one need each', ['git_commit', 'createIssue', 'git:log'], ['git_commit', 'createIssue', 'git:log']],
  ['a hyphen makes a phrase of a word', ['send-mail', 'list-calendars'], ['send-mail', 'list-calendars']],
  ['a letter before a hyphen makes none', ['send', 'e-mail'], ['send e-mail']],
  ['Chinese words are one need', ['邮件', '发送'], ['邮件 发送']],
  ['Chinese phrases are one need each', ['发送电子邮件', '创建日历事件'], ['发送电子邮件', '创建日历事件']],
  ['one text stays as it is', ['  two  words '], ['  two  words ']],
];

for (const [what, given, needs] of read) {
  test(what, () => {
    const { queries, notice } = readNeeds(given);
    assert.deepEqual([queries, notice], [needs, null]);
  });
}

test('needs beyond the limit are named, the first of them in full', () => {
  const needs = Array.from({ length: mostNeeds + 7 }, (_, at) => `need number ${at}`);
  const { queries, notice } = readNeeds(needs);
  assert.deepEqual(queries, needs.slice(0, mostNeeds));
  assert.match(notice ?? '', /Search again for: "need number 20", .*"need number 24" and 2 more\.$/);
});

test('sentences beyond the eighth are named once each', () => {
  const sentences = Array.from({ length: 10 }, (_, at) => `Do the thing ${at}.`);
  const { queries, notice } = readNeeds([sentences.join(' '), sentences.join(' ')]);
  assert.equal(queries.length, 2);
  assert.match(notice ?? '', /Search again for: "Do the thing 8\.", "Do the thing 9\."\.$/);
});

test('only the beginning of an endless list is read, and the notice says so', () => {
  const { queries, notice } = readNeeds(Array.from({ length: 10_000 }, (_, at) => `word${at}`));
  assert.deepEqual([queries.length, queries[0]?.split(' ').length], [1, 200]);
  assert.match(notice ?? '', /Search again for: "word200", .* and 9795 more\.$/);
});

/** Which tools a text names, however it writes their names. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToolNames } from './tool-names.ts';

const tools = ['git:git_commit', 'git:git_log', 'work:git_log', 'forge:createIssue', 'forge:log', 'mail:send-mail'];

function namesOf(keys: readonly string[]): ToolNames {
  const names = new ToolNames();
  for (const [slot, key] of keys.entries()) names.add(slot, ...(key.split(':') as [string, string]));
  return names;
}

function found(text: string, names = namesOf(tools), isThere: (slot: number) => boolean = () => true): string[] {
  return names.find(text, isThere).map((slot) => tools[slot] ?? '');
}

test('a name is found in any spelling, with its server and without', () => {
  for (const text of [
    'git_commit',
    'git commit',
    'gitCommit',
    'Git-Commit',
    'GITCOMMIT',
    ' git.commit ',
    'git:git_commit',
  ])
    assert.deepEqual(found(text), ['git:git_commit'], text);
  for (const text of ['create issue', 'forge create_issue', 'forge.createIssue', 'mcp__forge__create_issue'])
    assert.deepEqual(found(text), ['forge:createIssue'], text);
  assert.deepEqual(found('mail send mail'), ['mail:send-mail']);
});

test('a sentence may be a name with articles', () => {
  const inSentence = (text: string) => namesOf(tools).findInSentence(text, () => true);
  assert.deepEqual(inSentence('create an issue'), [3]);
  assert.deepEqual(inSentence('Send the email'), [5]);
  for (const text of ['the', 'create issue', 'create an issue later']) assert.deepEqual(inSentence(text), [], text);
});

test('a name without the server in it counts where one tool alone has it', () => {
  assert.deepEqual(found('commit'), ['git:git_commit']);
  assert.deepEqual(found('log'), ['forge:log'], 'the whole name goes first');
  const others = namesOf(['git:git_log', 'svn:svn_log']);
  assert.deepEqual(
    others.find('log', () => true),
    [],
  );
  assert.deepEqual(
    others.find('svn log', () => true),
    [1],
  );
});

test('a tool whose name is written in just this way goes before one in the other spelling', () => {
  const names = namesOf(['outlook:send_mail', 'gmail:send_email']);
  const slots = (text: string, all = names) => all.find(text, () => true);
  assert.deepEqual([slots('send_email'), slots('send mail')], [[1], [0]]);
  assert.deepEqual(slots('send email', namesOf(['outlook:send_mail'])), [0]);
});

test('a name of several servers finds all of them, or the one that is named', () => {
  assert.deepEqual(found('git log'), ['git:git_log', 'work:git_log']);
  assert.deepEqual(found('work:git_log'), ['work:git_log']);
});

test('a text with more than a name, nothing, or a tool that is not there names none', () => {
  for (const text of ['please git commit', 'git commit it', '', '?', 'git', 'x'.repeat(100_000)])
    assert.deepEqual(found(text), [], text.slice(0, 20));
  assert.deepEqual(
    found('git log', namesOf(tools), (slot) => slot !== 1),
    ['work:git_log'],
  );
});

test('a tool that was removed is not found, and its place can be taken', () => {
  const names = namesOf(tools);
  names.remove(0);
  names.remove(1);
  assert.deepEqual([found('git commit', names), found('git log', names)], [[], ['work:git_log']]);
  names.add(0, 'git', 'git_commit');
  assert.deepEqual(found('commit', names), ['git:git_commit']);
});

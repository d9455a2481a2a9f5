/** Tests of the parts of `import` that need no gateway: names of agents, and answers to its question. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentIds } from '../../../agent-files/agent-files.ts';
import { importCommand } from '../commands/import.ts';
import { readAgents, readChoice } from './run-import.ts';

test('the help names every agent', () => {
  for (const agent of agentIds) assert.match(importCommand.description ?? '', new RegExp(`\\b${agent}\\b`));
});

test('agents are named as they are listed, and a slip is told', () => {
  assert.deepEqual(readAgents(undefined), agentIds);
  assert.deepEqual(readAgents('zed, cursor'), ['zed', 'cursor']);
  assert.throws(() => readAgents('curser'), { code: 'USAGE', hint: 'Did you mean "cursor"?' });
  assert.throws(() => readAgents('emacs-of-mine'), { code: 'USAGE', hint: /^Known are: claude-code, / });
});

test('an answer is yes, no, or numbers of the list', () => {
  const chosen = (answer: string) => {
    const numbers = readChoice(answer, 5);
    return numbers && [...numbers];
  };
  assert.deepEqual(chosen('y'), [1, 2, 3, 4, 5]);
  assert.deepEqual(chosen('ALL'), [1, 2, 3, 4, 5]);
  for (const none of ['', 'n', 'No', 'none']) assert.deepEqual(chosen(none), []);
  assert.deepEqual(chosen('1,3-5'), [1, 3, 4, 5]);
  assert.deepEqual(chosen('2 2, 1'), [2, 1]);
  for (const wrong of ['0', '6', '4-6', '3-1', 'maybe', '1-', '-1']) assert.equal(chosen(wrong), null, wrong);
});

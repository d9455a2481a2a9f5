/** How prompts were answered, and which tools were taken for which. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredEvalRun, StoredPrompt } from '../store/store.ts';
import { confusionsIn, outcomesOf } from './prompt-outcomes.ts';

const at = '2026-01-01T00:00:00.000Z';

function prompt(id: string, expected: Partial<StoredPrompt['expectedBehavior']> = {}): StoredPrompt {
  const expectedBehavior = { shouldCallTool: true, ...expected };
  const category = expectedBehavior.shouldCallTool ? 'direct' : 'negative';
  const prompt = 'A need in the words of a user.';
  return {
    ...{ id, server: 's', toolName: 'read', category, prompt, expectedBehavior },
    part: 'deciding',
    author: 'hand',
    createdAt: at,
  };
}

function run(promptId: string, candidateId: string, result: Partial<StoredEvalRun['result']>): StoredEvalRun {
  return {
    ...{ id: `${promptId} ${candidateId}`, server: 's', toolName: 'read', promptId, candidateId, timestamp: at },
    ...{ judge: 'self', jobId: null, repeat: 0 },
    result: { toolCalled: false, correct: false, durationMs: 1, ...result },
  };
}

const prompts = [prompt('a'), prompt('b'), prompt('c', { shouldCallTool: false, tool: 's:write' }), prompt('d')];
const runs = [
  run('a', 'canonical', { toolCalled: true, correct: true, reasoning: 'It says so.' }),
  run('b', 'canonical', { tool: 'write', toolCalled: true, correct: false }),
  run('b', 'canonical', { tool: 's:read', toolCalled: true, correct: true }),
  run('c', 'canonical', { correct: true }),
  run('d', 'canonical', { correct: null, error: 'Too slow.' }),
  run('a', 'cand_1', { correct: false }),
];

test('each prompt has its answers by wording: the share that was right, the choice and why', () => {
  const [a, b, , d] = outcomesOf(prompts, runs, ['canonical', 'cand_1', 'cand_2']);
  assert.deepEqual(a?.outcomes, [
    { candidateId: 'canonical', judge: 'self', right: 1, runs: 1, chosen: 's:read', why: 'It says so.' },
    { candidateId: 'cand_1', judge: 'self', right: 0, runs: 1, chosen: null, why: '' },
  ]);
  assert.deepEqual(
    b?.outcomes.map(({ right, runs: count }) => [right, count]),
    [[0.5, 2]],
  );
  assert.deepEqual([d?.outcomes[0]?.right, d?.outcomes[0]?.why], [null, 'Too slow.']);
});

test('the matrix counts what was chosen for what was meant, without void answers', () => {
  const measured = outcomesOf(prompts, runs, ['canonical', 'cand_1']);
  assert.deepEqual(
    confusionsIn(measured, () => 'canonical'),
    {
      chosen: ['s:read', 's:write', null],
      rows: [
        { meant: 's:read', counts: [2, 0, 0] },
        { meant: 's:write', counts: [0, 0, 1] },
      ],
    },
  );
  assert.deepEqual(confusionsIn(measured, () => 'cand_1').rows, [{ meant: 's:read', counts: [0, 1] }]);
  assert.deepEqual(
    confusionsIn(measured, () => 'cand_2'),
    { chosen: [], rows: [] },
  );
});

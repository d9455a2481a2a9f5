/** Grading of calls: the choice of the tool, and strict success beside it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goldenPrompt, runsOf } from '../../test/kit/eval-records.ts';
import type { JsonObject } from '../base/json.ts';
import type { StoredPrompt } from '../store/store.ts';
import { type ChosenCall, gradeChoice } from './judge.ts';
import { measure } from './measure.ts';

const own = 'weather:forecast';
const other = 'weather:history';
const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};

function call(tool: string | null, args: JsonObject | null = { city: 'Oslo' }): ChosenCall {
  return { tool, arguments: args };
}

function grade(calls: readonly ChosenCall[], prompt: StoredPrompt) {
  const choice = { tool: calls[0]?.tool ?? null, calls, isDoubted: false, offered: [] };
  const { correct, strict } = gradeChoice(choice, prompt, prompt, () => ({ name: 'any', inputSchema }));
  return [correct, strict];
}

test('[OPT-30] strict success is one call of the right tool, with valid arguments as expected, and no other', () => {
  const expected = { shouldCallTool: true, arguments: { city: 'Oslo' } };
  const prompt = goldenPrompt('a', 'direct', { expectedBehavior: expected });
  for (const [calls, grades] of [
    [[call(own)], [true, true]],
    [[call(own, { city: 'Oslo', days: 3 })], [true, true]],
    [[call(own, { city: 'Rome' })], [true, false]],
    [[call(own, { city: 'Oslo', days: '3' })], [true, false]],
    [[call(own, {})], [true, false]],
    [[call(own, null)], [true, false]],
    [
      [call(own), call(own)],
      [true, false],
    ],
    [
      [call(other), call(own)],
      [true, false],
    ],
    [[call(other)], [false, false]],
    [[call(null)], [false, false]],
    [[], [false, false]],
  ] as const)
    assert.deepEqual(grade(calls, prompt), grades, JSON.stringify(calls));
});

test('[OPT-30] a negative is strictly right with no call, or with the call of the tool that is right instead', () => {
  const none = goldenPrompt('a', 'negative');
  const instead = goldenPrompt('b', 'negative', { expectedBehavior: { shouldCallTool: false, tool: other } });
  for (const [calls, prompt, grades] of [
    [[], none, [true, true]],
    [[call(other)], none, [true, false]],
    [[call(own)], none, [false, false]],
    [[call(other)], instead, [true, true]],
    [[call(other, {})], instead, [true, false]],
    [[], instead, [true, false]],
    [[call(other), call(own)], instead, [false, false]],
    [[call(null)], none, [true, false]],
  ] as const)
    assert.deepEqual(grade(calls, prompt), grades, `${prompt.id} ${JSON.stringify(calls)}`);
});

test('[OPT-30] strict success is counted beside the choice of the tool, where judges tell it', () => {
  const prompts = [goldenPrompt('a', 'direct'), goldenPrompt('b', 'direct')];
  const runs = [...runsOf('a', 'c', true, true), ...runsOf('b', 'c', true, null)];
  assert.equal(measure(prompts, runs, 'c').overall.strict, undefined);
  const strict = runs.map((run, at) => ({ ...run, result: { ...run.result, strict: at === 0 } }));
  const told = strict.map((run) =>
    run.result.correct === null ? { ...run, result: { ...run.result, strict: undefined } } : run,
  );
  const { overall, byCategory } = measure(prompts, told, 'c');
  assert.deepEqual([overall.right, overall.strict, overall.all, byCategory.direct?.strict], [2, 0.5, 2, 0.5]);
});

/** Budgets of models: requests that are on their way, that fail, and that are made outside a job. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import type { ModelAnswer } from '../language-model/language-model.ts';
import { BudgetError, ModelBudget, type ModelUse, meterOnce } from './model-budget.ts';

const never = new AbortController().signal;
const question = { system: 'Write.', text: 'A text, please.', maxTokens: 1_024 };
const answer = (tokens: number): ModelAnswer => ({ text: '', calls: [], ended: 'whole', tokens });

function budgetOf(maxModelTokens: number) {
  const kept: ModelUse[] = [];
  const budget = new ModelBudget(
    () => ({ maxModelCalls: 100, maxModelTokens }),
    { calls: 0, tokens: 0 },
    async (used) => void kept.push(used),
  );
  return { budget, used: () => kept.at(-1) };
}

test('[OPT-34] while a request is on its way, its longest answer counts', async () => {
  const { budget, used } = budgetOf(2_000);
  const answered = Promise.withResolvers<ModelAnswer>();
  const ask = budget.meter(() => answered.promise);
  const first = ask(question, never);
  await assert.rejects(ask(question, never), BudgetError);
  answered.resolve(answer(90));
  await first;
  assert.deepEqual(used(), { calls: 1, tokens: 90 });
  await ask(question, never);
});

test('[OPT-34] a request that fails may have been paid, so it counts', async () => {
  const { budget, used } = budgetOf(2_000);
  const ask = budget.meter(async () => {
    throw new GatewayError('MODEL_FAILED', 'It gave an answer that has no message.');
  });
  await assert.rejects(ask(question, never), { code: 'MODEL_FAILED' });
  assert.ok((used()?.tokens ?? 0) >= 80, JSON.stringify(used()));
  for (let left = 30; left > 0; left -= 1) await ask(question, never).catch(() => {});
  await assert.rejects(ask(question, never), BudgetError);
});

test('[OPT-34] outside a job an author without room left fails', async () => {
  const ask = meterOnce(() => ({ maxModelCalls: 2, maxModelTokens: 10_000 }))(async () => answer(90));
  await ask(question, never);
  await ask(question, never);
  await assert.rejects(ask(question, never), {
    code: 'MODEL_FAILED',
    message: /optimize\.maxModelCalls.*Raise the limit/,
  });
});

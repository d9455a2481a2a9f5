/** Golden prompts and eval runs as tests write them: short. */

import type { PromptCategory, StoredEvalRun, StoredPrompt } from '../../src/store/store.ts';

const tool = { server: 'weather', toolName: 'forecast' };
const createdAt = '2026-01-01T00:00:00.000Z';

export function goldenPrompt(id: string, category: PromptCategory, more: Partial<StoredPrompt> = {}): StoredPrompt {
  const expectedBehavior = { shouldCallTool: category !== 'negative' };
  return {
    ...tool,
    id,
    category,
    prompt: `A need with the id ${id}`,
    expectedBehavior,
    part: 'deciding',
    author: 'hand',
    createdAt,
    ...more,
  };
}

/** Prompts of one category, with the ids `direct-0`, `direct-1` … */
export function goldenPrompts(category: PromptCategory, count: number): StoredPrompt[] {
  return Array.from({ length: count }, (_, at) => goldenPrompt(`${category}-${at}`, category));
}

/** A run for each answer, as repeats of one prompt. */
export function runsOf(
  promptId: string,
  candidateId: string,
  ...answers: readonly (boolean | null)[]
): StoredEvalRun[] {
  return answers.map((correct, repeat) => ({
    ...tool,
    id: `${candidateId} ${promptId} ${repeat}`,
    candidateId,
    promptId,
    timestamp: createdAt,
    judge: 'search',
    jobId: 'job',
    repeat,
    result: { toolCalled: false, correct, durationMs: 1 },
  }));
}

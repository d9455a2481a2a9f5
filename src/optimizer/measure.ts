/** Figures of a candidate from its eval runs. The unit is the prompt: its runs are one value, their mean, and void ones do not count. */

import { type PromptCategory, promptCategories, type StoredEvalRun, type StoredPrompt } from '../store/store.ts';
import { type Interval, wilson } from './statistics.ts';

export interface ShareOfPrompts extends Interval {
  /** A fraction where repeats of a prompt disagree. */
  readonly right: number;
  /** Those that are right in the strict sense; left out where no run says. */
  readonly strict?: number | undefined;
  /** Prompts that have a value. */
  readonly all: number;
  readonly share: number;
}

export interface Figures {
  /** Without the categories in which no prompt has a value. */
  readonly byCategory: Readonly<Partial<Record<PromptCategory, ShareOfPrompts>>>;
  readonly overall: ShareOfPrompts;
  /** Prompts whose runs are all void. */
  readonly voids: number;
  /** Prompts that were not run. */
  readonly missing: number;
}

/** How the candidate did on each prompt, compared with the server's own description. */
export interface Pairs {
  readonly better: number;
  readonly worse: number;
  readonly same: number;
}

/** Runs of prompts that are not among these are ignored: their prompt was deleted, or is of another half. */
export function measure(
  prompts: readonly StoredPrompt[],
  runs: readonly StoredEvalRun[],
  candidateId: string,
): Figures {
  const values = valuesOf(runs, candidateId);
  const strictValues = valuesOf(runs, candidateId, 'strict');
  const shareOf = (some: readonly StoredPrompt[]): ShareOfPrompts => {
    const known = some.flatMap(({ id }) => values.get(id) ?? []);
    const strict = some.flatMap(({ id }) => strictValues.get(id) ?? []);
    const [right, all] = [sumOf(known), known.length];
    const told = strict.length === 0 ? {} : { strict: sumOf(strict) };
    return { right, ...told, all, share: all === 0 ? 0 : right / all, ...wilson(right, all) };
  };
  const categories = promptCategories
    .map((category) => [category, shareOf(prompts.filter((prompt) => prompt.category === category))] as const)
    .filter(([, { all }]) => all > 0);
  return {
    byCategory: Object.fromEntries(categories),
    overall: shareOf(prompts),
    voids: prompts.filter(({ id }) => values.get(id) === null).length,
    missing: prompts.filter(({ id }) => !values.has(id)).length,
  };
}

/** Over the prompts that have a value for both. */
export function comparePrompts(
  prompts: readonly StoredPrompt[],
  runs: readonly StoredEvalRun[],
  candidateId: string,
  baselineId: string,
): Pairs {
  const [candidate, baseline] = [valuesOf(runs, candidateId), valuesOf(runs, baselineId)];
  const counts = { better: 0, worse: 0, same: 0 };
  for (const { id } of prompts) {
    const [now, before] = [candidate.get(id) ?? null, baseline.get(id) ?? null];
    if (now === null || before === null) continue;
    counts[now > before ? 'better' : now < before ? 'worse' : 'same'] += 1;
  }
  return counts;
}

/** The mean of each prompt that was run; null where all of its runs are void. */
function valuesOf(
  runs: readonly StoredEvalRun[],
  candidateId: string,
  success: 'correct' | 'strict' = 'correct',
): Map<string, number | null> {
  const own = runs.filter((run) => run.candidateId === candidateId);
  const byPrompt = Map.groupBy(own, (run) => run.promptId);
  return new Map(
    [...byPrompt].map(([promptId, some]) => [promptId, meanOf(some.map(({ result }) => result[success]))]),
  );
}

function meanOf(successes: readonly (boolean | null | undefined)[]): number | null {
  const known = successes.filter((success) => typeof success === 'boolean');
  return known.length === 0 ? null : known.filter(Boolean).length / known.length;
}

/** Three thirds are one: sums of fractions must meet bounds that whole counts would meet. */
function sumOf(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) * 1e9) / 1e9;
}

/** The figures of every candidate that has runs, by each judge that ran it, with the reasons that keep it from a promotion. */

import type { Config } from '../config/config.ts';
import type { StoredEvalRun, StoredPrompt } from '../store/store.ts';
import { canonicalId, comparableRuns, decidePromotion, promotionMetrics } from './decide-promotion.ts';
import { measure } from './measure.ts';

interface EvalRecords {
  readonly prompts: readonly StoredPrompt[];
  readonly runs: readonly StoredEvalRun[];
}

/** Of one server or tool; of one candidate, if it is named: by the last job of each judge. Runs of prompts that were deleted do not count. */
export function evalResults({ prompts, runs }: EvalRecords, settings: Config['optimize'], candidateId?: string) {
  const ids = new Set(prompts.map(({ id }) => id));
  const all = runs.filter(({ promptId }) => ids.has(promptId));
  const wanted = all.filter((run) => candidateId === undefined || run.candidateId === candidateId);
  const groups = Map.groupBy(wanted, (run) => JSON.stringify([run.toolName, run.candidateId, run.judge]));
  return [...groups.values()].flatMap(([first]) => {
    if (!first) return [];
    const records = {
      prompts: prompts.filter((prompt) => prompt.toolName === first.toolName),
      runs: all.filter((run) => run.toolName === first.toolName),
    };
    return [resultsOf(first, records, settings)];
  });
}

function resultsOf(
  { candidateId, toolName, judge }: StoredEvalRun,
  { prompts, runs }: EvalRecords,
  settings: Config['optimize'],
) {
  const compared = comparableRuns({ prompts, runs, judge, candidateId }).runs;
  const figures = measure(prompts, compared, candidateId);
  const { byCategory, overall, voids, missing } = figures;
  const counts = { ...byCategory, overall };
  const metrics = promotionMetrics(figures);
  const { length } = compared.filter((run) => run.candidateId === candidateId);
  const described = { candidateId, tool: toolName, judge, metrics, runs: length, counts, voids, missing };
  if (candidateId === canonicalId) return described;
  const decision = decidePromotion({ prompts, runs, judge, candidateId, settings, stolen: [] });
  const { baseline, refusals, warnings, pValue } = decision;
  return { ...described, deciding: { metrics: decision.metrics, baseline, pValue, refusals }, warnings };
}

/** Decides about a promotion by the runs of the deciding half, and puts the figures together that it carries. */

import type { Config } from '../config/config.ts';
import type { PromotionMetrics, StoredEvalRun, StoredPromotion, StoredPrompt } from '../store/store.ts';
import { checkGates, type StolenPrompts } from './gates.ts';
import { comparePrompts, type Figures, measure } from './measure.ts';

/** The candidate id of the server's own description. */
export const canonicalId = 'canonical';

export interface PromotionQuestion {
  /** Of the tool, both halves. */
  readonly prompts: readonly StoredPrompt[];
  /** Of the tool, all there are. */
  readonly runs: readonly StoredEvalRun[];
  /** Only runs of this job, or of this judge, decide; if left out, the set that ran the candidate last. */
  readonly jobId?: string | undefined;
  readonly judge?: StoredEvalRun['judge'] | undefined;
  readonly candidateId: string;
  readonly settings: Config['optimize'];
  /** The effect on neighbours. */
  readonly stolen: readonly StolenPrompts[];
}

export interface PromotionDecision
  extends Pick<StoredPromotion, 'metrics' | 'baseline' | 'counts' | 'judge' | 'evidence'> {
  /** Why it is refused, in sentences; empty: it passes. */
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
  readonly pValue: number;
}

export function decidePromotion(question: PromotionQuestion): PromotionDecision {
  const { prompts, jobId, candidateId, settings, stolen } = question;
  const eligible = question.runs.filter(
    (run) => run.jobId === (jobId ?? run.jobId) && run.judge === (question.judge ?? run.judge),
  );
  const { runs, judge } = comparableRuns(eligible, candidateId);
  const deciding = prompts.filter(({ part }) => part === 'deciding');
  const candidate = measure(deciding, runs, candidateId);
  const baseline = measure(deciding, runs, canonicalId);
  const pairs = comparePrompts(deciding, runs, candidateId, canonicalId);
  // An agent that records runs itself has no way to hold all else equal.
  const paired = judge !== 'self' || settings.strict;
  const candidatesDecided = countCandidatesDecided(deciding, question);
  const { refusals, warnings, pValue } = checkGates({
    candidate,
    baseline,
    pairs,
    settings,
    paired,
    candidatesDecided,
    stolen,
  });
  const tooFew =
    prompts.length < settings.minPrompts
      ? [`The tool has ${prompts.length} golden prompts; at least ${settings.minPrompts} are needed.`]
      : [];
  return {
    refusals: [...tooFew, ...refusals.map(({ sentence }) => sentence)],
    warnings,
    pValue,
    metrics: promotionMetrics(candidate),
    baseline: promotionMetrics(baseline),
    counts: countsByCategory(candidate),
    judge,
    evidence: paired ? 'paired' : 'weak',
  };
}

/**
 * Runs that can be compared: those of one job, or those that agents recorded themselves. Of several such sets the one counts
 * that ran the candidate last.
 */
function comparableRuns(
  runs: readonly StoredEvalRun[],
  candidateId: string,
): { readonly runs: readonly StoredEvalRun[]; readonly judge: StoredEvalRun['judge'] } {
  const last = runs.filter((run) => run.candidateId === candidateId).reduce(later, undefined);
  if (!last) return { runs: [], judge: 'self' };
  return { runs: runs.filter((run) => run.judge === last.judge && run.jobId === last.jobId), judge: last.judge };
}

/**
 * A judge that tries one candidate after another with the same prompts finds a lucky one in the end. A candidate that met fewer than
 * half of these prompts, in a job, does not count: most of the others are fresh.
 */
function countCandidatesDecided(deciding: readonly StoredPrompt[], { runs, candidateId }: PromotionQuestion): number {
  const ids = new Set(deciding.map(({ id }) => id));
  const ofJobs = runs.filter((run) => run.jobId !== null && run.candidateId !== canonicalId && ids.has(run.promptId));
  const met = Map.groupBy(ofJobs, (run) => run.candidateId);
  const others = [...met].filter(
    ([id, some]) => id !== candidateId && 2 * new Set(some.map(({ promptId }) => promptId)).size >= ids.size,
  );
  return others.length + 1;
}

function later(best: StoredEvalRun | undefined, run: StoredEvalRun): StoredEvalRun {
  return best !== undefined && best.timestamp > run.timestamp ? best : run;
}

export function promotionMetrics({ byCategory: { direct, indirect, negative }, overall }: Figures): PromotionMetrics {
  return {
    directSuccess: direct?.share ?? null,
    indirectSuccess: indirect?.share ?? null,
    negativeSuccess: negative?.share ?? null,
    overall: overall.share,
  };
}

export function countsByCategory({ byCategory }: Figures): StoredPromotion['counts'] {
  const counts = Object.entries(byCategory).map(([category, { right, strict, all }]) => [
    category,
    { right, ...(strict === undefined ? {} : { strict }), all },
  ]);
  return Object.fromEntries(counts);
}

/** Decides about a promotion by the runs of the deciding half, and puts the figures together that it carries. */

import { plural } from '../base/plural.ts';
import type { Config } from '../config/config.ts';
import type { PromotionMetrics, StoredEvalRun, StoredPromotion, StoredPrompt } from '../store/store.ts';
import { checkGates, type StolenPrompts, shareInWords } from './gates.ts';
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
  readonly baselineCounts: StoredPromotion['counts'];
  /** Why it is refused, in sentences; empty: it passes. */
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
  readonly pValue: number;
}

export function decidePromotion(question: PromotionQuestion): PromotionDecision {
  const { prompts, candidateId, settings, stolen } = question;
  const { runs, judge, choosing, deciding } = comparableRuns(question);
  const candidate = measure(deciding, runs, candidateId);
  const baseline = measure(deciding, runs, canonicalId);
  // An agent that records runs itself has no way to hold all else equal.
  const paired = judge !== 'self' || settings.strict;
  const pairs = comparePrompts(deciding, runs, candidateId, canonicalId);
  const candidatesDecided = countCandidatesDecided(deciding, question);
  const compared = { candidate, baseline, pairs, settings, paired, candidatesDecided, stolen };
  const { refusals, warnings, pValue } = checkGates(compared);
  const isImported = runs.some((run) => run.imported);
  const lost = sayLost(choosing, deciding, runs, candidateId);
  // A candidate that was never tried on the deciding half has nothing to compare there.
  const against = lost === undefined ? baseline : candidate;
  const tooFew =
    prompts.length < settings.minPrompts
      ? [`The tool has ${plural(prompts.length, 'golden prompt')}; at least ${settings.minPrompts} are needed.`]
      : [];
  return {
    refusals: lost === undefined ? [...tooFew, ...refusals.map(({ sentence }) => sentence)] : [lost],
    warnings: lost === undefined ? [...warnings, ...(isImported ? ['Weak evidence: runs were imported.'] : [])] : [],
    pValue,
    metrics: promotionMetrics(candidate),
    baseline: promotionMetrics(against),
    counts: countsByCategory(candidate),
    baselineCounts: countsByCategory(against),
    judge,
    evidence: paired && !isImported ? 'paired' : 'weak',
  };
}

export interface CandidateFigures extends Pick<PromotionDecision, 'counts' | 'baselineCounts' | 'judge'> {
  /** `choosing` for a candidate that lost there: only the winner is tried on the deciding half. */
  readonly half: StoredPrompt['part'];
}

/** The newest figures of a candidate beside those of the server's own description; null: it was never run. */
export function figuresOf(
  question: Pick<PromotionQuestion, 'prompts' | 'runs' | 'candidateId'>,
): CandidateFigures | null {
  const { runs, judge, choosing, deciding } = comparableRuns(question);
  for (const [half, some] of [['deciding', deciding] as const, ['choosing', choosing] as const]) {
    const candidate = measure(some, runs, question.candidateId);
    if (candidate.missing === some.length) continue;
    const baseline = measure(some, runs, canonicalId);
    return { half, judge, counts: countsByCategory(candidate), baselineCounts: countsByCategory(baseline) };
  }
  return null;
}

interface ComparableRuns {
  readonly runs: readonly StoredEvalRun[];
  readonly judge: StoredEvalRun['judge'];
  /** The prompts that they are compared by. */
  readonly choosing: readonly StoredPrompt[];
  readonly deciding: readonly StoredPrompt[];
}

/**
 * Runs that can be compared: those of one job, or those that agents recorded themselves. Of several such sets the one counts
 * that ran the candidate last. A job may leave out prompts; an agent has to run them all.
 */
export function comparableRuns({
  prompts,
  candidateId,
  ...given
}: Pick<PromotionQuestion, 'prompts' | 'runs' | 'jobId' | 'judge' | 'candidateId'>): ComparableRuns {
  const eligible = given.runs.filter(
    (run) => run.jobId === (given.jobId ?? run.jobId) && run.judge === (given.judge ?? run.judge),
  );
  const last = eligible.filter((run) => run.candidateId === candidateId).reduce(later, undefined);
  const { judge, jobId: job } = last ?? { judge: 'self', jobId: null };
  const runs = last ? eligible.filter((run) => run.judge === judge && run.jobId === job) : [];
  const ran = new Set(runs.map(({ promptId }) => promptId));
  const asked = job === null ? prompts : prompts.filter(({ id }) => ran.has(id));
  const { choosing = [], deciding = [] } = Object.groupBy(asked, ({ part }) => part);
  return { runs, judge, choosing, deciding };
}

/** For a candidate that a job tried only on the choosing half: its result there, and which text did better. */
function sayLost(
  choosing: readonly StoredPrompt[],
  deciding: readonly StoredPrompt[],
  runs: readonly StoredEvalRun[],
  candidateId: string,
): string | undefined {
  const decides = new Set(deciding.map(({ id }) => id));
  const ran = runs.filter((run) => run.candidateId === candidateId);
  if (ran.every(({ jobId }) => jobId === null) || ran.some(({ promptId }) => decides.has(promptId))) return undefined;
  const decided = runs.filter((run) => run.candidateId !== canonicalId && decides.has(run.promptId));
  const winner = decided[0]?.candidateId ?? canonicalId;
  const own = measure(choosing, runs, candidateId);
  const best = measure(choosing, runs, winner);
  const isAhead = own.overall.right > best.overall.right;
  // A job that was stopped early has decided nothing.
  if (own.missing > 0 || (isAhead && winner === canonicalId)) return undefined;
  const name = winner === canonicalId ? "the server's own description" : `candidate "${winner}"`;
  const why = isAhead ? ' It was passed over because it steals prompts from neighbours.' : '';
  return `It lost on the choosing prompts: ${shareInWords(own.overall)} right, ${shareInWords(best.overall)} with ${name}.${why} Only the winner is tried on the deciding prompts.`;
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

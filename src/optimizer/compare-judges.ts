/** Finds candidates on which judges disagree: one judge finds them better and another worse, or only one lets them pass. */

import type { Config } from '../config/config.ts';
import type { StoredEvalRun, StoredPrompt } from '../store/store.ts';
import { canonicalId, comparableRuns, decidePromotion } from './decide-promotion.ts';
import { comparePrompts, measure, type Pairs } from './measure.ts';

interface JudgeVerdict extends Pairs {
  readonly judge: StoredEvalRun['judge'];
  /** null: it was not tried on the deciding prompts. */
  readonly passes: boolean | null;
}

export interface JudgeDisagreement {
  readonly candidateId: string;
  readonly verdicts: readonly JudgeVerdict[];
  /** The disagreement as a sentence. */
  readonly sentence: string;
}

/** `prompts` and `runs` are those of one tool. Of each judge, the set of runs that ran the candidate last. */
export function compareJudges(
  prompts: readonly StoredPrompt[],
  runs: readonly StoredEvalRun[],
  settings: Config['optimize'],
): JudgeDisagreement[] {
  const byCandidate = Map.groupBy(runs, (run) => run.candidateId);
  byCandidate.delete(canonicalId);
  return [...byCandidate].flatMap(([candidateId, own]) => {
    const judges = [...new Set(own.map(({ judge }) => judge))].sort();
    if (judges.length < 2) return [];
    const verdicts = judges.map((judge): JudgeVerdict => {
      const question = { prompts, runs, judge, candidateId };
      const { runs: compared, deciding } = comparableRuns(question);
      const { refusals } = decidePromotion({ ...question, settings, stolen: [] });
      const hasDecided = [candidateId, canonicalId].every((id) => measure(deciding, compared, id).overall.all > 0);
      const pairs = comparePrompts(prompts, compared, candidateId, canonicalId);
      return { judge, ...pairs, passes: hasDecided ? refusals.length === 0 : null };
    });
    return disagree(verdicts) ? [{ candidateId, verdicts, sentence: sentenceOn(candidateId, verdicts) }] : [];
  });
}

function disagree(verdicts: readonly JudgeVerdict[]): boolean {
  const gains = verdicts.map(({ better, worse }) => better - worse);
  const passes = verdicts.map((verdict) => verdict.passes);
  return (
    (gains.some((gain) => gain > 0) && gains.some((gain) => gain < 0)) ||
    [true, false].every((one) => passes.includes(one))
  );
}

function sentenceOn(candidateId: string, verdicts: readonly JudgeVerdict[]): string {
  const said = verdicts.map(({ judge, better, worse, passes }) => {
    const gates = passes === null ? '' : passes ? ', passes' : ', does not pass';
    return `by "${judge}" better on ${better} and worse on ${worse} prompts${gates}`;
  });
  return `Judges disagree on ${candidateId}: ${said.join('; ')}.`;
}

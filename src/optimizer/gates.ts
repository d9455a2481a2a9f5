/** The gates that a candidate passes before it is promoted. They see the deciding half alone, and their bounds are inclusive. */

import { plural } from '../base/plural.ts';
import type { Config } from '../config/config.ts';
import { type PromptCategory, promptCategories } from '../store/store.ts';
import type { Figures, Pairs, ShareOfPrompts } from './measure.ts';
import { mcnemar } from './statistics.ts';

/** A neighbour that fewer of its prompts would find. */
export interface StolenPrompts {
  /** `server:tool` of the neighbour. */
  readonly tool: string;
  readonly lost: number;
  readonly all: number;
}

type GateSettings = Pick<Config['optimize'], 'minOverall' | 'minNegative' | 'minImprovement' | 'maxRegression'>;

export interface GateInput {
  readonly candidate: Figures;
  readonly baseline: Figures;
  readonly pairs: Pairs;
  readonly settings: GateSettings;
  /** True: the paired test has to be passed too. */
  readonly paired: boolean;
  /** Candidates that these prompts have decided about, with this one: the more, the less chance each is allowed. */
  readonly candidatesDecided: number;
  readonly stolen: readonly StolenPrompts[];
}

export type GateCode =
  | 'no-runs'
  | 'no-baseline'
  | 'incomplete'
  | 'void'
  | 'no-negatives'
  | 'overall'
  | 'negative'
  | 'improvement'
  | 'regression'
  | 'paired'
  | 'steals';

export interface GateRefusal {
  readonly code: GateCode;
  readonly sentence: string;
}

export interface GateVerdict {
  readonly passes: boolean;
  readonly refusals: readonly GateRefusal[];
  readonly warnings: readonly string[];
  /** Of McNemar's exact test, one-sided. */
  readonly pValue: number;
}

/** The chance of promoting a candidate that is no better, over all that the same prompts decide about. */
const mostChance = 0.05;
/** A larger share of prompts without a value decides nothing. */
const mostWithoutValue = 0.1;

export function checkGates(input: GateInput): GateVerdict {
  const pValue = mcnemar(input.pairs.better, input.pairs.worse).oneSided;
  const refusals = [...refuseEvidence(input), ...refuseFigures(input), ...refuseEffect(input, pValue)];
  return { passes: refusals.length === 0, refusals, warnings: warningsOn(input), pValue };
}

/** The reasons why these runs decide nothing. */
function* refuseEvidence({ candidate, baseline }: GateInput): Iterable<GateRefusal> {
  for (const [who, { overall, voids, missing }] of [
    ['candidate', candidate],
    ["server's own description", baseline],
  ] as const) {
    const prompts = overall.all + voids + missing;
    if (overall.all === 0 && voids === 0) {
      const code = who === 'candidate' ? 'no-runs' : 'no-baseline';
      yield { code, sentence: `There are no evaluation runs yet for the ${who} on the deciding prompts.` };
      continue;
    }
    if (exceeds(voids, mostWithoutValue * (overall.all + voids)))
      yield {
        code: 'void',
        sentence: `${voids} of ${overall.all + voids} prompts of the ${who} are void, more than a tenth: these runs decide nothing.`,
      };
    if (exceeds(missing, mostWithoutValue * prompts))
      yield {
        code: 'incomplete',
        sentence: `${missing} of ${prompts} deciding prompts have no run for the ${who}. Run them all.`,
      };
  }
  if (candidate.byCategory.negative === undefined)
    yield {
      code: 'no-negatives',
      sentence: 'No negative prompt decides, so precision is unknown: save at least two, or use force.',
    };
}

function* refuseFigures({ candidate, baseline, settings }: GateInput): Iterable<GateRefusal> {
  const { minOverall, minNegative, minImprovement, maxRegression } = settings;
  const { overall } = candidate;
  const { negative } = candidate.byCategory;
  if (overall.all === 0) return;
  if (!reaches(overall, minOverall))
    yield {
      code: 'overall',
      sentence: `Overall success is ${shareInWords(overall)}; at least ${percent(minOverall)} is needed.`,
    };
  if (negative && !reaches(negative, minNegative))
    yield {
      code: 'negative',
      sentence: `Success on negative prompts is ${shareInWords(negative)}; at least ${percent(minNegative)} is needed.`,
    };
  if (baseline.overall.all === 0) return;
  if (!gains(overall, baseline.overall, minImprovement))
    yield {
      code: 'improvement',
      sentence: `Overall success is ${shareInWords(overall)}, after ${shareInWords(baseline.overall)} with the server's own description; an improvement of ${percent(minImprovement)} is needed.`,
    };
  for (const [category, now, before] of inBoth(candidate, baseline))
    if (!gains(now, before, -maxRegression))
      yield {
        code: 'regression',
        sentence: `Success on ${category} prompts falls from ${shareInWords(before)} to ${shareInWords(now)}; at most ${percent(maxRegression)} may be lost.`,
      };
}

function* refuseEffect(
  { pairs, paired, candidatesDecided, stolen, settings }: GateInput,
  pValue: number,
): Iterable<GateRefusal> {
  const allowed = mostChance / candidatesDecided;
  const because =
    candidatesDecided === 1
      ? ''
      : `, because these prompts have already decided about ${candidatesDecided} candidates. Save new prompts to start over`;
  if (paired && pValue > allowed)
    yield {
      code: 'paired',
      sentence: `Better on ${pairs.better} and worse on ${pairs.worse} prompts may be chance (p = ${pValue.toFixed(3)}); at most ${Number(allowed.toFixed(4))} is allowed${because}.`,
    };
  for (const sentence of theftsIn(stolen, pairs.better - pairs.worse, settings)) yield { code: 'steals', sentence };
}

/**
 * The thefts among prompts that neighbours would lose, in sentences. One prompt of many may go astray by chance; a text that
 * draws others' prompts takes several of one tool, or from many tools one each.
 */
export function theftsIn(
  stolen: readonly StolenPrompts[],
  gained: number,
  { maxRegression }: Pick<GateSettings, 'maxRegression'>,
): string[] {
  const taken = stolen.reduce((sum, { lost }) => sum + lost, 0);
  return [
    ...stolen
      .filter(({ lost, all }) => exceeds(lost, maxRegression * all))
      .map(
        ({ tool, lost, all }) => `It steals from "${tool}": ${lost} of ${all} of its prompts would no longer find it.`,
      ),
    ...(taken > 0 && taken >= gained
      ? [`It steals: neighbours would lose ${plural(taken, 'prompt')}, and the tool gains ${Math.max(0, gained)}.`]
      : []),
  ];
}

function warningsOn({ candidate, paired, pairs }: GateInput): string[] {
  const missing = promptCategories.filter(
    (category) => category !== 'negative' && candidate.byCategory[category] === undefined,
  );
  const { voids } = candidate;
  return [
    ...missing.map((category) => `No ${category} prompt decides, so success on them is unknown.`),
    ...(voids > 0 ? [`${plural(voids, 'void prompt')} left out.`] : []),
    ...(paired
      ? []
      : [`Weak evidence: no paired test was asked for (better on ${pairs.better}, worse on ${pairs.worse}).`]),
  ];
}

function inBoth(candidate: Figures, baseline: Figures): (readonly [PromptCategory, ShareOfPrompts, ShareOfPrompts])[] {
  return promptCategories.flatMap((category) => {
    const [now, before] = [candidate.byCategory[category], baseline.byCategory[category]];
    return now && before ? [[category, now, before] as const] : [];
  });
}

/** Counts are compared, never shares: 17 of 20 are 85 %, however 0.85 is rounded. */
function reaches({ right, all }: ShareOfPrompts, least: number): boolean {
  return !exceeds(least * all, right);
}

function gains(now: ShareOfPrompts, before: ShareOfPrompts, least: number): boolean {
  return !exceeds(least * now.all * before.all, now.right * before.all - before.right * now.all);
}

/** Below this, a difference of two counts is rounding. */
const rounding = 1e-6;

function exceeds(count: number, most: number): boolean {
  return count - most > rounding;
}

/** `7 of 12 (58.3 %)`. */
export function shareInWords({ right, all, share }: ShareOfPrompts): string {
  return `${Number(right.toFixed(2))} of ${all} (${percent(share)})`;
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}

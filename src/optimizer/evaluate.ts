/** Evaluates the wordings of one tool: every prompt with every wording, each kept before the next, so that a job can go on where it ended. */

import { GatewayError } from '../base/errors.ts';
import { fingerprintOf } from '../base/ids.ts';
import type { Snapshot } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { OptimizerStore, StoredCandidate, StoredEvalRun, StoredPrompt } from '../store/store.ts';
import { canonicalId, decidePromotion, type PromotionDecision } from './decide-promotion.ts';
import { theftsIn } from './gates.ts';
import { type DescriptionJudge, type GradeOptions, gradePrompt, regradeResult, type Wording } from './judge.ts';
import { type Figures, measure } from './measure.ts';
import { measureEffect, mostEffectCalls } from './neighbours.ts';

export interface Evaluation extends GradeOptions {
  readonly judge: DescriptionJudge;
  /** Must cost nothing, because neighbours have many prompts. */
  readonly neighbourJudge: DescriptionJudge;
  readonly store: Pick<OptimizerStore, 'listEvalRuns' | 'addEvalRuns'>;
  readonly jobId: string;
  readonly repeats: number;
  /** Of the judge in this job: false until its sanity check has passed, and after each void run. */
  readonly standing: { isSane: boolean };
  /** Called before each judgement; throws where there may be no more. */
  readonly spend: () => void;
  /** Called after each prompt, when its runs are stored. */
  readonly moved: (step: EvaluationStep) => Promise<void>;
}

/** Where the work on a tool stands. */
export interface EvaluationStep {
  /** Which candidate, from 1; 0: the server's own description. */
  readonly candidate: number;
  /** The share of the tool's work that is done, 0 to 1. */
  readonly share: number;
  /** So far; the next two are left out where prompts of other tools are judged. */
  readonly figures?: Figures | undefined;
  /** Judgements of its own prompts. */
  readonly prompts?: { readonly judged: number; readonly all: number } | undefined;
}

/** The part of a tool's work that something takes, as shares of the whole. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** Judgements before it, and in the whole. */
  readonly judged: number;
  readonly all: number;
}

/** One tool with the prompts that it is evaluated by. */
export interface EvaluatedTool {
  readonly server: string;
  readonly toolName: string;
  /** The server's own description. */
  readonly description: string;
  readonly prompts: readonly StoredPrompt[];
}

export interface TriedWording extends Wording {
  readonly candidateId: string;
  /** From 1; 0 for the server's own. */
  readonly number: number;
}

/** The reason why a run decides nothing before it has begun. */
export class SanityError extends Error {}

/** Runs of these wordings with these prompts, including those that an earlier start of the job has made. */
export async function runPrompts(
  evaluation: Evaluation,
  { server, toolName }: EvaluatedTool,
  wordings: readonly TriedWording[],
  prompts: readonly StoredPrompt[],
  { from, to, judged, all }: Span = { from: 0, to: 1, judged: 0, all: wordings.length * prompts.length },
): Promise<StoredEvalRun[]> {
  const earlier = byQuestion(await evaluation.store.listEvalRuns(server, toolName));
  // A judge that costs nothing shows it for every tool.
  if (!evaluation.judge.price) evaluation.standing.isSane = false;
  const runs: StoredEvalRun[] = [];
  let done = 0;
  for (const wording of wordings) {
    const own: StoredEvalRun[] = [];
    for (const prompt of prompts) {
      evaluation.signal.throwIfAborted();
      own.push(...(await judgePrompt(evaluation, wording, prompt, earlier)));
      done += 1;
      const figures = measure(prompts, own, wording.candidateId);
      const share = from + ((to - from) * done) / (wordings.length * prompts.length);
      await evaluation.moved({ candidate: wording.number, share, figures, prompts: { judged: judged + done, all } });
    }
    runs.push(...own);
  }
  return runs;
}

/** All repeats of one prompt: from this job's runs, from answers to earlier jobs, or asked now. */
async function judgePrompt(
  evaluation: Evaluation,
  wording: TriedWording,
  prompt: StoredPrompt,
  earlier: ReadonlyMap<string, StoredEvalRun>,
): Promise<StoredEvalRun[]> {
  const { judge, jobId, repeats, standing, signal } = evaluation;
  const rival = prompt.expectedBehavior.tool;
  const key = (await judge.price?.({ ...wording, rival }, prompt.prompt, signal))?.key;
  const asked = Array.from({ length: repeats }, (_, repeat) => ({ wording, prompt, repeat, key }));
  const runs: StoredEvalRun[] = [];
  const missing: AskedPrompt[] = [];
  for (const one of asked) {
    const stored = earlier.get(runIdOf(jobId, wording, prompt, one.repeat));
    if (stored && stored.key !== key) throw changedSince(wording);
    const answered = key === undefined ? undefined : earlier.get(questionId(key, one.repeat));
    if (stored) runs.push(stored);
    else if (answered) {
      const result = regradeResult({ ...answered.result, durationMs: 0 }, prompt, evaluation.definitionOf);
      runs.push(await keepRun(evaluation, one, result, true));
    } else missing.push(one);
  }
  while (missing.length > 0) {
    const now = missing.splice(0, judge.atOnce ?? 1);
    await checkSanity(evaluation, wording);
    const asking = now.map((one) => judgeOnce(evaluation, one));
    await Promise.allSettled(asking); // the others are kept, whatever becomes of one
    const known = await Promise.all(asking);
    standing.isSane = known.every(({ result }) => result.correct !== null);
    runs.push(...known);
  }
  return runs;
}

interface AskedPrompt {
  readonly wording: TriedWording;
  readonly prompt: StoredPrompt;
  readonly repeat: number;
  readonly key: string | undefined;
}

async function checkSanity({ judge, standing, signal }: Evaluation, wording: TriedWording): Promise<void> {
  if (standing.isSane) return;
  const insane = await judge.checkSanity(wording, signal);
  if (insane !== null) throw new SanityError(insane);
}

async function judgeOnce(evaluation: Evaluation, asked: AskedPrompt): Promise<StoredEvalRun> {
  evaluation.spend();
  return keepRun(evaluation, asked, await gradePrompt(evaluation.judge, asked.wording, asked.prompt, evaluation));
}

/** At once, because an answer may have cost something. */
async function keepRun(
  { judge, store, jobId, clock }: Evaluation,
  { wording, prompt, repeat, key }: AskedPrompt,
  result: StoredEvalRun['result'],
  isReused = false,
): Promise<StoredEvalRun> {
  const { server, toolName, candidateId } = wording;
  const run: StoredEvalRun = {
    id: runIdOf(jobId, wording, prompt, repeat),
    ...{ server, toolName, candidateId, promptId: prompt.id },
    timestamp: new Date(clock.now()).toISOString(),
    ...{ judge: judge.name, jobId, repeat },
    ...(key === undefined ? {} : { key }),
    ...(isReused && { reused: true }),
    result,
  };
  await store.addEvalRuns([run]);
  return run;
}

/** Runs by their id, and those with an answer by `questionId` too, in whatever job they were asked. */
export function byQuestion(runs: readonly StoredEvalRun[]): ReadonlyMap<string, StoredEvalRun> {
  const found = new Map<string, StoredEvalRun>();
  for (const run of runs) {
    found.set(run.id, run);
    if (run.key !== undefined && run.result.correct !== null) found.set(questionId(run.key, run.repeat), run);
  }
  return found;
}

export function questionId(key: string, repeat: number): string {
  return `${key} ${repeat}`;
}

function changedSince({ server, toolName }: TriedWording): GatewayError {
  return new GatewayError(
    'ARGUMENTS_INVALID',
    `The judge, the description of "${server}:${toolName}" or the tools around it have changed since the job began. Start another job.`,
  );
}

/** The same for the same step of a job, so that it is never counted twice. */
function runIdOf(jobId: string, { server, toolName, candidateId }: TriedWording, { id }: StoredPrompt, repeat: number) {
  return `run_${fingerprintOf([jobId, server, toolName, candidateId, id, repeat]).slice(0, 22)}`;
}

export function wordingsOf(tool: EvaluatedTool, candidates: readonly StoredCandidate[]): TriedWording[] {
  const { server, toolName } = tool;
  return [
    { server, toolName, candidateId: canonicalId, number: 0, description: tool.description },
    ...candidates.map(({ id, description }, at) => ({
      server,
      toolName,
      candidateId: id,
      number: at + 1,
      description,
    })),
  ];
}

export interface Optimization {
  /** The id of the candidate that did best on the choosing half. */
  readonly candidateId: string;
  readonly decision: PromotionDecision;
}

export interface OptimizationInput {
  readonly tool: EvaluatedTool;
  readonly candidates: readonly StoredCandidate[];
  readonly settings: Config['optimize'];
  readonly snapshot: Snapshot;
  /** Prompts of all tools, for the effect on neighbours. */
  readonly allPrompts: readonly StoredPrompt[];
}

/** Candidates whose effect on neighbours is measured before one is chosen. */
const mostTried = 2;
/** Judgements of neighbours' prompts at most, to choose and to decide. */
export const mostNeighbourCalls = (mostTried + 1) * mostEffectCalls;

/** The parts of the work, roughly as long as they take. */
const spans = { choosing: { from: 0, to: 0.5 }, deciding: { from: 0.5, to: 0.7 }, effect: { from: 0.7, to: 1 } };

/**
 * Chooses a candidate by one half of the prompts, and decides by the other half, which only the chosen one ever sees. null: no candidate did better than the server's own description on the choosing half.
 */
export async function optimizeTool(evaluation: Evaluation, input: OptimizationInput): Promise<Optimization | null> {
  const { tool, candidates, settings, snapshot, allPrompts } = input;
  const { choosing = [], deciding = [] } = Object.groupBy(tool.prompts, ({ part }) => part);
  const wordings = wordingsOf(tool, candidates);
  const [canonical, ...others] = wordings as [TriedWording, ...TriedWording[]]; // the canonical one is always first
  const judged = wordings.length * choosing.length;
  const all = judged + 2 * deciding.length;
  const chosenBy = await runPrompts(evaluation, tool, wordings, choosing, { ...spans.choosing, judged: 0, all });
  const best = await chooseWording(evaluation, input, { canonical, others, choosing, runs: chosenBy });
  if (!best) return null;
  const { candidateId } = best;
  const runs = await runPrompts(evaluation, tool, [canonical, best], deciding, { ...spans.deciding, judged, all });
  const { from, to } = spans.effect;
  const moved = (share: number) => evaluation.moved({ candidate: best.number, share: from + (to - from) * share });
  const stolen = await measureEffect(
    { judge: evaluation.neighbourJudge, canonical, candidate: best, snapshot, prompts: allPrompts, runs, moved },
    evaluation,
  );
  const allRuns = await evaluation.store.listEvalRuns(tool.server, tool.toolName);
  const { prompts } = tool;
  const { jobId } = evaluation;
  return { candidateId, decision: decidePromotion({ prompts, runs: allRuns, jobId, candidateId, settings, stolen }) };
}

interface WordingChoice {
  readonly canonical: TriedWording;
  readonly others: readonly TriedWording[];
  readonly choosing: readonly StoredPrompt[];
  readonly runs: readonly StoredEvalRun[];
}

/** The best on the choosing half, or the second best if only the best steals from neighbours. */
async function chooseWording(
  evaluation: Evaluation,
  { settings, snapshot, allPrompts }: OptimizationInput,
  { canonical, others, choosing, runs }: WordingChoice,
): Promise<TriedWording | undefined> {
  const rightOf = ({ candidateId }: TriedWording) => measure(choosing, runs, candidateId).overall.right;
  // Of equals the shorter one: agents read it with every list.
  const better = others
    .filter((wording) => rightOf(wording) > rightOf(canonical))
    .toSorted((a, b) => rightOf(b) - rightOf(a) || a.description.length - b.description.length);
  const around = { judge: evaluation.neighbourJudge, canonical, snapshot, runs };
  const prompts = allPrompts.filter(({ part }) => part === 'choosing');
  for (const candidate of better.slice(0, mostTried)) {
    const stolen = await measureEffect({ ...around, candidate, prompts }, evaluation);
    if (theftsIn(stolen, rightOf(candidate) - rightOf(canonical), settings).length === 0) return candidate;
  }
  return better[0];
}

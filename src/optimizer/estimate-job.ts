/** Estimates the cost of a job: judgements, model requests, tokens and minutes. */

import { givenText } from '../base/text.ts';
import { canonicalOf } from '../catalog/catalog.ts';
import type { StoredPrompt } from '../store/store.ts';
import { byQuestion, mostNeighbourCalls, questionId, type TriedWording, wordingsOf } from './evaluate.ts';
import { evaluatedTool, isWanted, type JobOrder, type JobRunOptions, somePrompts } from './job-run.ts';
import type { JudgeName } from './judge.ts';
import { emptyBudget } from './model-budget.ts';

export type JobEstimate = {
  readonly judge: JudgeName;
  readonly tools: number;
  readonly prompts: number;
  /** Wordings that are tried, with the server's own ones. */
  readonly wordings: number;
  /** Most judgements; for the search, including those of neighbours. */
  readonly calls: number;
  readonly maxCalls: number;
  /** Judgements that earlier jobs have answered; they cost nothing. */
  readonly reused: number;
  /** Requests to a model, without retries. */
  readonly modelCalls: number;
  readonly maxModelCalls: number;
  /** Tokens of a model. */
  readonly tokens: number;
  readonly maxModelTokens: number;
  readonly minutes: number;
};

/** Assumed time of a judgement until some were measured. */
const usualMs: Readonly<Record<JudgeName, number>> = { search: 5, model: 3_000, agent: 30_000 };
const minuteMs = 60_000;
/** Tokens of one request for candidates, with its answer. */
const writingTokens = 2_000;

/** Stands for a wording that is still to be written: it costs as much as the server's own. */
interface PlannedWording extends TriedWording {
  readonly isUnwritten?: boolean;
}

export async function estimateJob(order: JobOrder, options: JobRunOptions, signal: AbortSignal): Promise<JobEstimate> {
  const { store, config } = options;
  const { maxCalls, maxModelCalls, maxModelTokens } = config().optimize;
  const judge = options.judge(order.judge, emptyBudget);
  const sum = { prompts: 0, wordings: 0, calls: 0, reused: 0, modelCalls: 0, tokens: 0 };
  const times: number[] = [];
  const repeats = Array.from({ length: order.repeats }, (_, repeat) => repeat);
  let asked = 0;
  let written = 0;
  try {
    if (judge.price) await judge.begin(signal);
    for (const { server, tool } of order.tools) {
      const prompts = somePrompts(await store.listPrompts(server, tool), order);
      const wordings = await plannedWordings(order, options, { server, tool });
      sum.prompts += prompts.length;
      sum.wordings += wordings.length;
      if (prompts.length === 0) continue;
      if (wordings.some(({ isUnwritten }) => isUnwritten) && options.hasAuthor()) written += 1;
      const judgements = plannedJudgements(order, wordings, prompts);
      const runs = (await store.listEvalRuns(server, tool)).filter((run) => run.judge === judge.name);
      times.push(...runs.flatMap(({ reused, result: { durationMs } }) => (reused ? [] : [durationMs])));
      const neighbours = judge.price || order.kind === 'evaluate' ? 0 : mostNeighbourCalls;
      const calls = judgements.length * order.repeats + neighbours;
      sum.calls += calls;
      if (!judge.price) {
        asked += calls;
        continue;
      }
      const answered = byQuestion(runs);
      for (const { wording, prompt } of judgements) {
        const { key, calls, tokens } = await judge.price(
          { ...wording, rival: prompt.expectedBehavior.tool },
          prompt.prompt,
          signal,
        );
        const isAnswered = (repeat: number) => !wording.isUnwritten && answered.has(questionId(key, repeat));
        const fresh = repeats.filter((repeat) => !isAnswered(repeat)).length;
        sum.reused += order.repeats - fresh;
        sum.modelCalls += calls * fresh;
        sum.tokens += tokens * fresh;
        asked += fresh;
      }
    }
  } finally {
    await judge.close();
  }
  const { length } = times;
  const eachMs = length === 0 ? usualMs[order.judge] : times.reduce((total, ms) => total + ms, 0) / length;
  const takesMs = (asked * eachMs) / (judge.atOnce ?? 1) + written * usualMs.model;
  const minutes = Math.ceil((10 * takesMs) / minuteMs) / 10;
  sum.modelCalls += written;
  sum.tokens += written * writingTokens;
  return { judge: order.judge, tools: order.tools.length, ...sum, maxCalls, maxModelCalls, maxModelTokens, minutes };
}

async function plannedWordings(
  order: JobOrder,
  { store, catalog }: JobRunOptions,
  named: JobOrder['tools'][number],
): Promise<PlannedWording[]> {
  const { server, tool: toolName } = named;
  const entry = evaluatedTool(catalog.snapshot, named);
  const description = entry ? givenText(canonicalOf(entry).description) : '';
  const tool = { server, toolName, description, prompts: [] };
  const known = (await store.listCandidates(server, toolName)).filter(({ id }) => isWanted(id, order));
  const [canonical, ...candidates] = wordingsOf(tool, known) as [TriedWording, ...TriedWording[]]; // the canonical one is always first
  if (candidates.length > 0 || order.kind === 'evaluate') return [canonical, ...candidates];
  return [canonical, ...Array.from({ length: order.candidatesPerTool }, () => ({ ...canonical, isUnwritten: true }))];
}

/** Only the best candidate of the choosing half is tried on the deciding half. */
function plannedJudgements({ kind }: JobOrder, wordings: readonly PlannedWording[], prompts: readonly StoredPrompt[]) {
  const deciders = kind === 'evaluate' ? wordings : wordings.slice(0, 2);
  return prompts.flatMap((prompt) =>
    (prompt.part === 'deciding' ? deciders : wordings).map((wording) => ({ wording, prompt })),
  );
}

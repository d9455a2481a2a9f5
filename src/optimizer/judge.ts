/** The contract of judges, and the grading of one prompt by what a judge chose. */

import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fitArguments } from '../arguments/arguments.ts';
import { type Clock, inTime } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { StoredEvalRun, StoredPrompt } from '../store/store.ts';
import { holds } from './judge-result.ts';
import { BudgetError } from './model-budget.ts';

/** A tool, and the description that it is tried with. */
export interface Wording {
  readonly server: string;
  /** The name that its server gives it. */
  readonly toolName: string;
  readonly description: string;
  /** `server:tool` of a tool that is offered beside it whatever a search finds: the one that is right instead. */
  readonly rival?: string | undefined;
}

/** A call that a model or an agent made, or would make. */
export interface ChosenCall {
  /** As `server:tool` with the server's own name for it; null: a name that was not offered. */
  readonly tool: string | null;
  /** null: no JSON object. */
  readonly arguments: JsonObject | null;
}

export interface Choice {
  /** The tool that would be called first, as `server:tool`; null: none. */
  readonly tool: string | null;
  /** All calls in their order; left out by a judge that writes no arguments. */
  readonly calls?: readonly ChosenCall[] | undefined;
  /** True where the judge is not sure that any tool fits. */
  readonly isDoubted: boolean;
  /** The tools that were offered, best first. */
  readonly offered: readonly string[];
  readonly reasoning?: string | undefined;
}

export const judgeNames = ['search', 'model', 'agent'] as const satisfies readonly StoredEvalRun['judge'][];
export type JudgeName = (typeof judgeNames)[number];

/** A question of a judge that costs something. */
export interface PricedQuestion {
  /** Equal for questions whose answers differ only by chance. */
  readonly key: string;
  /** Requests to a model and their tokens, by estimate. */
  readonly calls: number;
  readonly tokens: number;
}

/** Sees the tool under test among all tools that a search would offer, never alone. */
export interface DescriptionJudge {
  readonly name: JudgeName;
  /** Judgements of one prompt that it makes at once; 1 if left out. */
  readonly atOnce?: number | undefined;
  /** Takes over the tools that there are now; runs that are compared see the same ones. */
  begin(signal: AbortSignal): Promise<void>;
  /** A case that every working judge gets right: why it fails, or null. */
  checkSanity(wording: Wording, signal: AbortSignal): Promise<string | null>;
  /** The question that `choose` would ask; left out by a judge that costs nothing. */
  price?(wording: Wording, prompt: string, signal: AbortSignal): Promise<PricedQuestion>;
  /** Throws where it cannot judge; such a run is void. A BudgetError ends the job instead. */
  choose(wording: Wording, prompt: string, signal: AbortSignal): Promise<Choice>;
  close(): Promise<void>;
}

export interface ChooseOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface GradeOptions extends ChooseOptions {
  /** Of a tool by its `server:tool`. */
  readonly definitionOf: (tool: string) => Entry['definition'] | undefined;
}

/** Tools that a search offers, unless it is asked for more. */
export const mostOffered = 10;

/** The pause of a job between two prompts: at least this long, and longer while calls keep this thread busy. */
const restMs = 1;
const mostRestMs = 50;

type RunResult = StoredEvalRun['result'];

/** One prompt with one wording. Throws only where `signal` aborts: a late or failed answer is void, never wrong. */
export async function gradePrompt(
  judge: DescriptionJudge,
  wording: Wording,
  prompt: Pick<StoredPrompt, 'prompt' | 'expectedBehavior'>,
  options: GradeOptions,
): Promise<RunResult> {
  const { clock, signal } = options;
  const began = clock.elapsed();
  const durationMs = () => Math.round(clock.elapsed() - began);
  try {
    const rival = prompt.expectedBehavior.tool;
    const choice = await chooseTool(judge, { ...wording, rival }, prompt.prompt, options);
    return { ...gradeChoice(choice, wording, prompt, options.definitionOf), durationMs: durationMs() };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BudgetError) throw error;
    return { toolCalled: false, correct: null, error: messageOf(error), durationMs: durationMs() };
  }
}

/** The judge's choice, within the time limit. */
export function chooseTool(
  judge: DescriptionJudge,
  wording: Wording,
  prompt: string,
  options: ChooseOptions,
): Promise<Choice> {
  return inTime((within) => judge.choose(wording, prompt, within), options);
}

/** A prompt for the tool is right when the tool is chosen; one against it also when the judge doubts that any fits. */
export function gradeChoice(
  { tool, calls, isDoubted, reasoning }: Choice,
  { server, toolName }: Pick<Wording, 'server' | 'toolName'>,
  { expectedBehavior }: Pick<StoredPrompt, 'expectedBehavior'>,
  definitionOf: GradeOptions['definitionOf'],
): Omit<RunResult, 'durationMs'> {
  const { shouldCallTool } = expectedBehavior;
  const own = `${server}:${toolName}`;
  const isChosen = calls?.some((call) => call.tool === own) ?? tool === own;
  const toolCalled = isChosen && (shouldCallTool || !isDoubted);
  const wanted = shouldCallTool ? own : expectedBehavior.tool;
  const first = calls?.[0]?.arguments;
  return {
    toolCalled,
    correct: toolCalled === shouldCallTool,
    ...(calls ? { strict: areAsWanted(calls, wanted, expectedBehavior.arguments, definitionOf) } : {}),
    ...(tool === null ? {} : { tool }),
    ...(first ? { arguments: first } : {}),
    ...(calls ? { calls: calls.map((call) => ({ ...call })) } : {}),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** A stored result by what the prompt expects now; only what was called counts, not what it says of itself. */
export function regradeResult(
  { toolCalled, error, durationMs, reasoning, ...told }: Omit<RunResult, 'correct'>,
  prompt: StoredPrompt,
  definitionOf: GradeOptions['definitionOf'],
): RunResult {
  if (error !== undefined && !toolCalled) return { toolCalled, correct: null, error, durationMs };
  const calls = told.calls?.map(({ tool, arguments: given }) => ({
    tool: typeof tool === 'string' ? tool : null,
    arguments: isObject(given) ? (given as JsonObject) : null, // it came as JSON
  }));
  const tool = (calls ? calls[0]?.tool : told.tool) ?? null;
  // A judge that writes no calls tells its doubt by a tool that it would not call.
  const choice = { tool, calls, isDoubted: !calls && !toolCalled, offered: [], reasoning };
  return { ...gradeChoice(choice, prompt, prompt, definitionOf), durationMs };
}

/** Strict success: one call of the right tool and no other, with arguments that its schema takes as they are; or none, where none is right. */
function areAsWanted(
  calls: readonly ChosenCall[],
  wanted: string | undefined,
  expected: JsonObject = {},
  definitionOf: GradeOptions['definitionOf'],
): boolean {
  const [call, ...others] = calls;
  if (!call || wanted === undefined) return !call && wanted === undefined;
  if (others.length > 0 || call.tool !== wanted || !holds(call.arguments, expected)) return false;
  const fit = fitArguments(definitionOf(wanted) ?? {}, call.arguments);
  return 'value' in fit && fit.corrections === undefined;
}

/** The judge ranks on the thread that answers calls: it takes what they leave, and a little where they leave nothing. */
export async function giveWayToCalls(): Promise<void> {
  const before = performance.eventLoopUtilization();
  const since = performance.now();
  do await sleep(restMs);
  while (performance.eventLoopUtilization(before).utilization > 0.5 && performance.now() - since < mostRestMs);
}

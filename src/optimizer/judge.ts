/** The contract of judges, and the grading of one prompt by what a judge chose. */

import { setImmediate as giveWay } from 'node:timers/promises';
import { abortable, type Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { StoredEvalRun, StoredPrompt } from '../store/store.ts';

/** A tool, and the description that it is tried with. */
export interface Wording {
  readonly server: string;
  /** The name that its server gives it. */
  readonly toolName: string;
  readonly description: string;
}

export interface Choice {
  /** The tool that would be called, as `server:tool` with the server's own name for it; null: none. */
  readonly tool: string | null;
  /** True where the judge is not sure that any tool fits. */
  readonly isDoubted: boolean;
  /** The tools that were offered, best first. */
  readonly offered: readonly string[];
  readonly reasoning?: string | undefined;
}

/** Sees the tool under test among all tools that a search would offer, never alone. */
export interface DescriptionJudge {
  readonly name: Exclude<StoredEvalRun['judge'], 'self'>;
  /** Takes over the tools that there are now; runs that are compared see the same ones. */
  begin(signal: AbortSignal): Promise<void>;
  /** A case that every working judge gets right: why it fails, or null. */
  checkSanity(wording: Wording, signal: AbortSignal): Promise<string | null>;
  /** Throws where it cannot judge; such a run is void. */
  choose(wording: Wording, prompt: string, signal: AbortSignal): Promise<Choice>;
  close(): Promise<void>;
}

export interface GradeOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

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
    const choice = await choosePrompt(judge, wording, prompt.prompt, options);
    return { ...grade(choice, wording, prompt), durationMs: durationMs() };
  } catch (error) {
    signal.throwIfAborted();
    return { toolCalled: false, correct: null, error: messageOf(error), durationMs: durationMs() };
  }
}

/** The choice of the judge within the time that there is for it. Everything else that waits for this thread comes first. */
export async function choosePrompt(
  judge: DescriptionJudge,
  wording: Wording,
  prompt: string,
  { clock, timeoutMs, signal }: GradeOptions,
): Promise<Choice> {
  await giveWay();
  const late = new AbortController();
  const timer = clock.after(timeoutMs, () => late.abort(new Error(`No answer within ${timeoutMs} ms.`)));
  const within = AbortSignal.any([signal, late.signal]);
  try {
    return await abortable(judge.choose(wording, prompt, within), within);
  } finally {
    timer.cancel();
  }
}

/** A prompt for the tool is right when the tool comes first; one against it also when the judge doubts that any fits. */
function grade(
  { tool, isDoubted, reasoning }: Choice,
  { server, toolName }: Wording,
  { expectedBehavior: { shouldCallTool } }: Pick<StoredPrompt, 'expectedBehavior'>,
): Omit<RunResult, 'durationMs'> {
  const toolCalled = tool === `${server}:${toolName}` && (shouldCallTool || !isDoubted);
  return {
    toolCalled,
    correct: toolCalled === shouldCallTool,
    ...(tool === null ? {} : { tool }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

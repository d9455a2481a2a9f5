/** The progress of a job as agents, events and terminals are shown it: an object, a number that only grows, and a line of text. */

import type { JsonObject } from '../base/json.ts';
import { plural } from '../base/plural.ts';
import type { StoredJob } from '../store/store.ts';
import type { JobOrder } from './job-run.ts';
import type { ModelUse } from './model-budget.ts';

export interface JobProgress {
  readonly serverName: string;
  readonly phase: 'generating' | 'evaluating' | 'promoting' | 'complete';
  readonly currentTool: string;
  readonly totalTools: number;
  readonly completedTools: number;
  /** 0 to 100, of the current tool. */
  readonly currentProgress: number;
  /** Which candidate is tried, from 1; 0 while it is the server's own description. */
  readonly candidate: number;
  readonly candidates: number;
  /** Prompts of the current tool that were judged, each with each description that it is tried with. */
  readonly prompts: { readonly judged: number; readonly all: number };
  /** Prompts that were right, and all that were judged with the candidate so far. */
  readonly byCategory: JsonObject;
  /** Requests to a model and their tokens so far; left out by a judge that asks none. */
  readonly model?: ModelUse | undefined;
}

export function progressBefore({ tools }: JobOrder): JobProgress {
  const [first] = tools;
  return {
    serverName: first?.server ?? '',
    phase: 'generating',
    currentTool: first?.tool ?? '',
    totalTools: tools.length,
    completedTools: 0,
    currentProgress: 0,
    candidate: 0,
    candidates: 0,
    prompts: { judged: 0, all: 0 },
    byCategory: {},
  };
}

/** Of all tools together, in percent, to two digits. */
export function percentOf({ totalTools, completedTools, currentProgress }: JobProgress): number {
  const done = Math.min(totalTools, completedTools + currentProgress / 100);
  return totalTools === 0 ? 100 : Math.floor((10_000 * done) / totalTools) / 100;
}

/** "weather:forecast (tool 1 of 3): evaluating candidate 2 of 4, 45 %". */
export function sayProgress(progress: JobProgress): string {
  const { serverName, phase, currentTool, totalTools, completedTools, candidate, candidates, model } = progress;
  const cost = model ? `, ${plural(model.calls, 'request')} to a model, ${plural(model.tokens, 'token')}` : '';
  if (phase === 'complete') return `complete: ${completedTools} of ${plural(totalTools, 'tool')}${cost}`;
  const which = totalTools === 1 ? '' : ` (tool ${Math.min(totalTools, completedTools + 1)} of ${totalTools})`;
  const tried = candidate === 0 ? "the server's own description" : `candidate ${candidate} of ${candidates}`;
  const what = phase === 'generating' ? 'candidates' : tried;
  return `${serverName}:${currentTool}${which}: ${phase} ${what}, ${progress.currentProgress} %${cost}`;
}

/** Only ever what a run told. */
export function progressOf({ progress }: StoredJob): JobProgress {
  return progress as unknown as JobProgress;
}

/** Judges the result that an evaluator tells: what was called, and if that was right. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/json.ts';
import type { StoredEvalRun, StoredPrompt } from '../store/store.ts';
import type { GivenResult } from './given-records.ts';

export function judgeResult(given: GivenResult, prompt: StoredPrompt): StoredEvalRun['result'] {
  const { toolCalled, error, reasoning, durationMs = 0, tool, arguments: args, calls } = given;
  return {
    toolCalled,
    correct: isCorrect(given, prompt),
    ...(error === undefined ? {} : { error }),
    ...(reasoning === undefined ? {} : { reasoning }),
    durationMs,
    ...(tool === undefined ? {} : { tool }),
    ...(args === undefined ? {} : { arguments: args }),
    ...(calls === undefined ? {} : { calls }),
  };
}

/** null, which is void, where an error kept anything from being called. */
function isCorrect({ toolCalled, error, tool, arguments: args }: GivenResult, prompt: StoredPrompt): boolean | null {
  if (error !== undefined && !toolCalled) return null;
  const { server, toolName, expectedBehavior: expected } = prompt;
  const isThis = toolCalled && (tool === undefined || tool === toolName || tool === `${server}:${toolName}`);
  if (!expected.shouldCallTool) return !isThis;
  return isThis && (expected.arguments === undefined || args === undefined || holds(args, expected.arguments));
}

/** True if everything that is expected is there; more may be. */
export function holds(given: unknown, expected: unknown): boolean {
  if (!isObject(given) || !isObject(expected)) return isDeepStrictEqual(given, expected);
  return Object.entries(expected).every(([key, value]) => Object.hasOwn(given, key) && holds(given[key], value));
}

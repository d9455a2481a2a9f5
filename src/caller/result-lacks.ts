/** What is wrong with a result that claims success: it holds nothing, or not what the tool promised. */

import { mistakeInOutput } from '../arguments/arguments.ts';
import { isObject } from '../base/json.ts';
import type { Result } from '../protocol/messages.ts';

export interface Lack {
  readonly kind: 'empty' | 'invalid';
  readonly sentence: string;
}

/** null: nothing is wrong. A tool that changes something has done so whatever it says, and must not be called again for that. */
export function lackOf(definition: Readonly<Record<string, unknown>>, result: Result): Lack | null {
  // Of a large result the agent has only the beginning.
  if (isObject(result._meta) && result._meta['toolcrib/result'] !== undefined) return null;
  const { annotations } = definition;
  if (!isObject(annotations) || annotations.readOnlyHint !== true) return null;
  const { structuredContent } = result;
  const broken = brokenPromise(definition, structuredContent);
  if (broken !== null) return { kind: 'invalid', sentence: broken };
  if (structuredContent !== undefined || !isBlank(result.content)) return null;
  return { kind: 'empty', sentence: 'The answer is empty.' };
}

function brokenPromise(definition: Readonly<Record<string, unknown>>, structuredContent: unknown): string | null {
  if (!isObject(definition.outputSchema)) return null;
  if (structuredContent === undefined) return 'The answer lacks the structured content that the tool promises.';
  const mistake = mistakeInOutput(definition, structuredContent);
  return mistake === undefined ? null : `The answer is not what the tool promises: ${mistake}.`;
}

function isBlank(content: unknown): boolean {
  if (!Array.isArray(content)) return true;
  return content.every((block) => isObject(block) && typeof block.text === 'string' && block.text.trim() === '');
}

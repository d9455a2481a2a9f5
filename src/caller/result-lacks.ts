/** What is missing in a result that claims success: everything, or what the tool promised. */

import { isObject } from '../base/json.ts';
import type { Result } from '../protocol/messages.ts';

export interface Lack {
  readonly kind: 'empty' | 'invalid';
  readonly sentence: string;
}

/** null: nothing is missing. A tool that changes something may well have nothing to say about it. */
export function lackOf(definition: Readonly<Record<string, unknown>>, result: Result): Lack | null {
  const { structuredContent } = result;
  if (isObject(definition.outputSchema) && structuredContent === undefined) {
    return { kind: 'invalid', sentence: 'The answer lacks the structured content that the tool promises.' };
  }
  const { annotations } = definition;
  const isReading = isObject(annotations) && annotations.readOnlyHint === true;
  if (!isReading || structuredContent !== undefined || !isBlank(result.content)) return null;
  return { kind: 'empty', sentence: 'The answer is empty.' };
}

function isBlank(content: unknown): boolean {
  if (!Array.isArray(content)) return true;
  return content.every((block) => isObject(block) && typeof block.text === 'string' && block.text.trim() === '');
}

/** What is wrong with a result that claims success: it holds nothing, or not what the tool promised. */

import { isObject } from '../base/json.ts';
import type { Result } from '../protocol/messages.ts';
import { describeMistakes } from './describe-mistakes.ts';
import { TamedSchema } from './tame-schema.ts';
import { checkValue } from './validate-arguments-check.ts';

export interface Lack {
  readonly kind: 'empty' | 'invalid';
  readonly sentence: string;
}

/** Promises by definition: a definition is immutable. */
const promises = new WeakMap<object, TamedSchema>();

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
  const { outputSchema } = definition;
  if (!isObject(outputSchema)) return null;
  if (structuredContent === undefined) return 'The answer lacks the structured content that the tool promises.';
  const tamed = promises.get(definition) ?? new TamedSchema(outputSchema);
  promises.set(definition, tamed);
  const { verdict, mistakes } = checkValue(tamed, tamed.root, structuredContent);
  if (verdict !== 'invalid') return null;
  return `The answer is not what the tool promises: ${describeMistakes(mistakes, tamed)[0]}.`;
}

function isBlank(content: unknown): boolean {
  if (!Array.isArray(content)) return true;
  return content.every((block) => isObject(block) && typeof block.text === 'string' && block.text.trim() === '');
}

/** Deals golden prompts to the half that candidates are chosen by and the half that decides about them. */

import { fingerprintOf } from '../base/ids.ts';
import type { PromptCategory, StoredPrompt } from '../store/store.ts';

type Part = StoredPrompt['part'];

/**
 * The part of each prompt, in order. Prompts that were dealt `before` keep theirs, so that saving a set again moves nothing
 * into the other half. New ones go to the smaller half of their category, in an order that only their ids decide; where
 * both are equal, to the deciding half.
 */
export function dealPrompts(
  prompts: readonly Pick<StoredPrompt, 'id' | 'category'>[],
  before: readonly Pick<StoredPrompt, 'id' | 'category' | 'part'>[],
): Part[] {
  const parts = new Map<string, Part>();
  for (const { id, category } of prompts) {
    const known = before.find((prompt) => prompt.id === id && prompt.category === category);
    if (known) parts.set(id, known.part);
  }
  const count = (category: PromptCategory, part: Part) =>
    prompts.filter((prompt) => prompt.category === category && parts.get(prompt.id) === part).length;
  const fresh = prompts
    .filter(({ id }) => !parts.has(id))
    .map((prompt) => ({ ...prompt, order: fingerprintOf(prompt.id) }));
  for (const { id, category } of fresh.sort((a, b) => (a.order < b.order ? -1 : 1)))
    parts.set(id, count(category, 'choosing') < count(category, 'deciding') ? 'choosing' : 'deciding');
  return prompts.map(({ id }) => parts.get(id) ?? 'deciding');
}

/** Deals golden prompts to the half that candidates are chosen by and the half that decides about them. */

import { fingerprintOf } from '../base/ids.ts';
import { plural } from '../base/plural.ts';
import type { PromptCategory, StoredPrompt } from '../store/store.ts';

type Part = StoredPrompt['part'];

/**
 * The part of each prompt, in order. Prompts that were dealt `before` keep theirs, so that saving a set again moves nothing
 * into the other half. New ones go to the smaller half of their category, in an order that only their ids decide; where
 * both are equal, to the deciding half, unless the other one would stay empty. Negatives come first: without one that
 * decides, nothing is promoted.
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
  const count = (part: Part, category?: PromptCategory) =>
    prompts.filter((prompt) => parts.get(prompt.id) === part && (category ?? prompt.category) === prompt.category)
      .length;
  const fresh = prompts
    .filter(({ id }) => !parts.has(id))
    .map(({ id, category }) => ({ id, category, order: `${category === 'negative' ? 0 : 1} ${fingerprintOf(id)}` }));
  for (const { id, category } of fresh.sort((a, b) => (a.order < b.order ? -1 : 1))) {
    const isEmpty = count('choosing') === 0 && count('deciding') > 0;
    const isSmaller = count('choosing', category) < count('deciding', category);
    parts.set(id, isEmpty || isSmaller ? 'choosing' : 'deciding');
  }
  return prompts.map(({ id }) => parts.get(id) ?? 'deciding');
}

/** Notes on categories of which one half has no prompt. */
export function noteEmptyHalves(prompts: readonly Pick<StoredPrompt, 'category' | 'part'>[]): string[] {
  return [...Map.groupBy(prompts, ({ category }) => category)].flatMap(([category, some]) => {
    const [part, other] = some[0]?.part === 'choosing' ? ['choosing', 'deciding'] : ['deciding', 'choosing'];
    if (some.some((prompt) => prompt.part === other)) return [];
    return `${plural(some.length, `${category} prompt`)} in the ${part} half, none in the ${other} half: save another.`;
  });
}

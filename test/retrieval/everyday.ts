/** Everyday sentences with the tools that are right for them: half to work with, half kept apart from whoever changes the search. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface EverydaySentence {
  readonly sentence: string;
  /** Keys of the tools that are right; any of them will do. */
  readonly tools: readonly string[];
}

export const halves = ['open', 'kept'] as const;
export type Half = (typeof halves)[number];

/** `fixture`: for the real-sized fixture. `real`: for ten published servers. */
export function readSentences(catalog: 'fixture' | 'real', half: Half): EverydaySentence[] {
  const file = join(import.meta.dirname, 'everyday', `${catalog}-${half}.jsonl`);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as EverydaySentence);
}

export interface Placed {
  readonly first: number;
  readonly inThree: number;
  /** Sentences whose tool does not come first, with what does. */
  readonly missed: readonly string[];
}

/** How often a right tool comes first, and how often it is among the first three. */
export async function placeSentences(
  sentences: readonly EverydaySentence[],
  search: (sentence: string) => Promise<readonly string[]>,
): Promise<Placed> {
  let [first, inThree] = [0, 0];
  const missed: string[] = [];
  for (const { sentence, tools } of sentences) {
    const found = await search(sentence);
    const at = found.findIndex((key) => tools.includes(key));
    if (at === 0) first += 1;
    else missed.push(`"${sentence}": ${found.slice(0, 3).join(', ') || 'nothing'}`);
    if (at >= 0 && at < 3) inThree += 1;
  }
  return { first, inThree, missed };
}

/** Merges the answers to several queries fairly: by rank, so that a query with high scores does not drown the others. */

import type { Hit } from './hit.ts';

/** A tool in several lists counts where it ranks best; equal ranks go by relevance, then key. */
export function mergeByRank(lists: readonly (readonly Hit[])[], limit: number): Hit[] {
  const best = new Map<string, { hit: Hit; rank: number }>();
  for (const list of lists) {
    for (const [rank, hit] of list.entries()) {
      const known = best.get(hit.key);
      if (known === undefined || compare({ hit, rank }, known) < 0) best.set(hit.key, { hit, rank });
    }
  }
  const merged = [...best.values()].sort(compare);
  return merged.slice(0, Math.max(0, limit)).map(({ hit }) => hit);
}

function compare(a: { hit: Hit; rank: number }, b: { hit: Hit; rank: number }): number {
  return a.rank - b.rank || b.hit.relevance - a.hit.relevance || (a.hit.key < b.hit.key ? -1 : 1);
}

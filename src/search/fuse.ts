/** How two ways of looking become one score: each is divided by its best, then they are weighed and added. */

/** The share of meaning where words are trusted in full, chosen on bfcl: best or nearly so with the table and with the encoder. */
const meaningWeight = 0.45;
/** Words are trusted in full where the best tool scores this share of what can be expected, chosen on bfcl and our own queries. */
const enough = 0.6;
/** An unknown meaning is presumed to fit as well as the words, times this factor: few tools fit well in both. */
const presumed = 0.7;
/** How much the best sentence of a long query adds to the whole. */
const partWeight = 0.25;

/** Divides every score by the best one, in place. */
export function toShares(scores: Float64Array, best: number): Float64Array {
  if (best <= 0) return scores;
  for (let at = 0; at < scores.length; at += 1) scores[at] = (scores[at] ?? 0) / best;
  return scores;
}

/** Adds to each share of the whole query the best share of one of its parts. */
export function addParts(whole: Float64Array, parts: readonly Float64Array[]): void {
  for (let at = 0; at < whole.length; at += 1) {
    let best = 0;
    for (const part of parts) best = Math.max(best, part[at] ?? 0);
    whole[at] = (whole[at] ?? 0) + partWeight * best;
  }
}

/** 0 to 1: a best that has only common words of the query, or few of its words, is the best of nothing. */
export function trustIn(best: number, answerable: number): number {
  return answerable > 0 ? Math.min(1, best / (enough * answerable)) : 0;
}

/** The share of meaning: the less words are trusted, the more it counts. */
export function weightAt(trust: number): number {
  return meaningWeight / (meaningWeight + (1 - meaningWeight) * trust);
}

/** Into `out`. A tool whose vector is not made yet (`isKnown` false) is taken at its words, a little below those that are known. */
export function fuse(
  words: Float64Array,
  meaning: ArrayLike<number>,
  nearest: number,
  weight: number,
  isKnown: (slot: number) => boolean,
  out: Float64Array,
): Float64Array {
  for (let slot = 0; slot < out.length; slot += 1) {
    const word = words[slot] ?? 0;
    const near = meaning[slot] ?? 0;
    const share = near > 0 && nearest > 0 ? near / nearest : near === 0 && !isKnown(slot) ? presumed * word : 0;
    out[slot] = word + weight * (share - word);
  }
  return out;
}

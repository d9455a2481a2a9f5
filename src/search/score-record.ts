/** Remembers how scores came about, step by step, for a search that has to explain itself. */

import { type ScorePart, scoreParts } from './hit.ts';

export class ScoreRecord {
  /** Scores by slot, as they were after each part. */
  readonly #after = new Map<ScorePart, Float64Array>();

  /** `fused`: words and meaning together. `words`: the fit of words alone. `weight`: the share of meaning. */
  constructor(fused: Float64Array, words: Float64Array | undefined, weight: number) {
    this.#after.set(
      'words',
      Float64Array.from(fused, (_, slot) => (1 - weight) * (words?.[slot] ?? 0)),
    );
    this.#after.set('meaning', fused.slice());
  }

  note(part: ScorePart, scores: Float64Array): void {
    this.#after.set(part, scores.slice());
  }

  /** They add up to the score of the slot. */
  partsOf(slot: number): Record<ScorePart, number> {
    let before = 0;
    const parts = scoreParts.map((part): [ScorePart, number] => {
      const after = this.#after.get(part)?.[slot] ?? before;
      const change = after - before;
      before = after;
      return [part, change];
    });
    return Object.fromEntries(parts) as Record<ScorePart, number>; // one of each
  }
}

/** The arithmetic of BM25F: what a word is worth, what a tool scores, and what a score says to a reader. */

import { bitsPerField, fields } from './fields.ts';
import type { WordMatch } from './hit.ts';
import type { Postings } from './postings.ts';
import type { Term } from './read-query.ts';

/** How slowly repeated occurrences stop adding to a word's worth, chosen on bfcl and our own queries. */
const saturation = 1.5;

/** The saturated worth of a word that stands in name, server, description and parameters: as good as a match gets. */
const fullWorth = 0.86;

/** Rare words that one tool can be expected to answer: the rest of a long query is about arguments and circumstances. */
const mostAnswered = 3;

/** How near a synonym may come to the weakest match of the word itself. Below 1, so that they never tie. */
const synonymCeiling = 0.9;

/** How much a tool counts for the rarity of a word that only its server says. */
const serverShare = 0.25;

const fieldMask = 2 ** bitsPerField - 1;

interface Measured {
  readonly lengths: readonly number[];
}

/** The weight of one occurrence, by slot and field: the field's weight, less where the field is longer than average. */
export function sharesOf(
  tools: readonly (Measured | undefined)[],
  totals: readonly number[],
  count: number,
): Float32Array {
  const width = fields.length;
  const shares = new Float32Array(tools.length * width);
  for (const [index, { weight, lengthPenalty }] of fields.entries()) {
    const penaltyPerWord = (lengthPenalty * count) / Math.max(1, totals[index] ?? 0);
    for (let slot = 0; slot < tools.length; slot += 1) {
      const length = tools[slot]?.lengths[index] ?? 0;
      shares[slot * width + index] = weight / (1 - lengthPenalty + penaltyPerWord * length);
    }
  }
  return shares;
}

/** Scores by slot. A term's alternatives stand for one word: they share a rarity, and only the best counts for a tool. */
export function scoreTools(
  terms: readonly Term[],
  toolCount: number,
  shares: Float32Array,
  arrays: ScoreArrays,
): Float64Array {
  const scores = arrays.take(shares.length / fields.length);
  // The score that a term with alternatives gave each slot so far; one array for all terms, because a catalog can be large.
  let given: Float64Array | undefined;
  for (const term of terms) {
    const hasChoice = term.alternatives.length > 1;
    if (hasChoice) given ??= arrays.take(scores.length);
    addTerm(term, rarityOf(term, toolCount), shares, scores, hasChoice ? given : undefined);
    if (hasChoice && given) forgetTerm(term, given);
  }
  return scores;
}

/** A synonym in the name must not outdo the word itself in a description: it stays below the word's weakest match. */
function addTerm(
  { alternatives, isKnown }: Term,
  rarity: number,
  shares: Float32Array,
  scores: Float64Array,
  best: Float64Array | undefined,
): void {
  let ceiling = Number.POSITIVE_INFINITY;
  for (const [index, { postings, weight }] of alternatives.entries()) {
    const pairs = postings.pairs;
    let weakest = Number.POSITIVE_INFINITY;
    for (let at = 0; at < 2 * postings.size; at += 2) {
      const slot = pairs[at] ?? 0;
      const worth = occurrenceWorth(pairs[at + 1] ?? 0, shares, slot * fields.length);
      const gain = Math.min(ceiling, gainOf(weight * rarity, worth));
      if (gain < weakest) weakest = gain;
      const before = best?.[slot] ?? 0;
      if (gain <= before) continue;
      scores[slot] = (scores[slot] ?? 0) + gain - before;
      if (best) best[slot] = gain;
    }
    if (isKnown && index === 0) ceiling = synonymCeiling * weakest;
  }
}

function gainOf(weight: number, worth: number): number {
  return (weight * worth) / (saturation + worth);
}

/** The share of each term in the score of one tool, by its best alternative, the most first; they add up to the score. */
export function matchesIn(
  terms: readonly Term[],
  toolCount: number,
  shares: Float32Array,
  slot: number,
): readonly WordMatch[] {
  const matches = terms.flatMap((term) => {
    const rarity = rarityOf(term, toolCount);
    const ceiling = term.isKnown ? synonymCeiling * weakestOf(term, rarity, shares) : Number.POSITIVE_INFINITY;
    const found = term.alternatives.flatMap(({ postings, weight }, index): WordMatch[] => {
      const packed = postings.countsOf(slot);
      if (packed === 0) return [];
      const isExact = term.isKnown && index === 0;
      const full = gainOf(weight * rarity, occurrenceWorth(packed, shares, slot * fields.length));
      const where = fieldsIn(packed, shares, slot * fields.length);
      const gain = isExact ? full : Math.min(ceiling, full);
      return [{ word: term.word, stem: postings.stem, isExact, gain, fields: where }];
    });
    return found.sort((a, b) => b.gain - a.gain).slice(0, 1);
  });
  return matches.sort((a, b) => b.gain - a.gain);
}

/** The least that the word itself, the first alternative, gives to a tool. */
function weakestOf({ alternatives }: Term, rarity: number, shares: Float32Array): number {
  const [own] = alternatives;
  let weakest = Number.POSITIVE_INFINITY;
  for (let at = 0; own && at < 2 * own.postings.size; at += 2) {
    const [slot = 0, packed = 0] = own.postings.pairs.subarray(at, at + 2);
    weakest = Math.min(weakest, gainOf(own.weight * rarity, occurrenceWorth(packed, shares, slot * fields.length)));
  }
  return weakest;
}

function fieldsIn(packed: number, shares: Float32Array, base: number): WordMatch['fields'] {
  return fields
    .map(({ name }, field) => ({
      name,
      count: (packed >>> (field * bitsPerField)) & fieldMask,
      weight: shares[base + field] ?? 0,
    }))
    .filter(({ count }) => count > 0);
}

function forgetTerm({ alternatives }: Term, given: Float64Array): void {
  for (const { postings } of alternatives) {
    const pairs = postings.pairs;
    for (let at = 0; at < 2 * postings.size; at += 2) given[pairs[at] ?? 0] = 0;
  }
}

/** The rarity of all words together, which no score can exceed; unknown words count like the mean of the others. */
export function massOf(terms: readonly Term[], toolCount: number): number {
  const known = terms.filter((term) => term.alternatives.length > 0);
  const unknown = terms.filter((term) => term.alternatives.length === 0 && !isNumber(term.word));
  const sum = known.reduce((total, term) => total + rarityOf(term, toolCount), 0);
  return known.length === 0 ? 0 : sum * (1 + unknown.length / known.length);
}

/** The part of the mass that a good tool may be asked to answer, however long the query is. */
export function answerableOf(mass: number, toolCount: number): number {
  return Math.min(mass, mostAnswered * Math.log(1 + toolCount));
}

export function coverageOf(score: number, mass: number): number {
  if (mass <= 0) return 0;
  return Math.min(1, score / (mass * fullWorth));
}

function occurrenceWorth(packed: number, shares: Float32Array, base: number): number {
  let worth = 0;
  for (let field = 0, rest = packed; rest !== 0; field += 1, rest >>>= bitsPerField) {
    const count = rest & fieldMask;
    if (count !== 0) worth += count * (shares[base + field] ?? 0);
  }
  return worth;
}

/** Rare words tell tools apart, common ones do not. Never negative. A known word's synonyms do not make it more common. */
function rarityOf({ alternatives, isKnown }: Term, toolCount: number): number {
  const counted = isKnown ? alternatives.slice(0, 1) : alternatives;
  const found = counted.reduce((sum, { postings }) => sum + toolsOf(postings), 0);
  const toolsWithWord = Math.min(found, toolCount);
  return Math.log(1 + (toolCount - toolsWithWord + 0.5) / (toolsWithWord + 0.5));
}

/** A server that mentions files makes none of its hundred tools a tool for files, so it hardly makes the word more common. */
function toolsOf({ size, ownSize }: Postings): number {
  return ownSize + serverShare * (size - ownSize);
}

/** A number in a query is mostly an argument, whose absence from a tool says nothing against it. */
function isNumber(word: string): boolean {
  return /^\p{N}+$/u.test(word);
}

/** More are made where a search needs them, and dropped afterwards. */
const mostKept = 6;

/** Arrays of scores for reuse: a large catalog would otherwise leave megabytes of garbage after each search. */
export class ScoreArrays {
  readonly #arrays: Float64Array[] = [];
  #taken = 0;

  /** All zero; valid until `releaseAll`. */
  take(length: number): Float64Array {
    const kept = this.#arrays[this.#taken];
    const array = kept?.length === length ? kept.fill(0) : new Float64Array(length);
    if (this.#taken < mostKept) this.#arrays[this.#taken] = array;
    this.#taken += 1;
    return array;
  }

  copyOf(source: ArrayLike<number>): Float64Array {
    const copy = this.take(source.length);
    copy.set(source);
    return copy;
  }

  /** Makes all arrays available again. */
  releaseAll(): void {
    this.#taken = 0;
  }
}

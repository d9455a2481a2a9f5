/** Every tool by its words and by its meaning, kept up to date one tool at a time, and the search over both. */

import { type EmbeddingModel, type ModelKind, partsOf, type Vector } from '../meaning/meaning.ts';
import type { Alike, AlikeRequest } from './alternatives/likeness.ts';
import { askedBy, type Caution, cautionOf, malusOf } from './caution.ts';
import type { SearchDocument } from './document.ts';
import { inPlainWords } from './everyday-words.ts';
import { addParts, fuse, toShares, trustIn, weightAt } from './fuse.ts';
import type { Hit, ParsedNeed, PreparedQuery, ScorePart, SearchOptions, SearchView } from './hit.ts';
import { LexicalIndex, matchedWords, type WordScores } from './lexical-index.ts';
import { relevanceOf } from './relevance.ts';
import { coverageOf, ScoreArrays } from './score.ts';
import { ScoreRecord } from './score-record.ts';
import { Synonyms } from './synonyms.ts';
import { ToolNames } from './tool-names.ts';
import { type Candidate, collapseTwins, type Likeness, likenessOf } from './twins.ts';
import { VectorIndex } from './vector-index.ts';

/** More needs of one search are cut off: an agent states a few. */
export const mostNeeds = 20;
/** More hits are cut off: an agent reads a page of answers. */
const mostHits = 1_000;
/** Added to a score between 0 and 1 for a fitting context. */
const contextWeight = 0.1;
/** How probable it is that a tool was meant whose name was asked for, at the least. */
const namedRelevance = 0.95;
/** A tool whose name equals the query without articles ranks above tools that score higher by at most this. */
const nearlyEqual = 0.12;
/** Taken off a score between 0 and 1 for a tool that cannot be called now, so that live tools rank above it. */
const downMalus = 0.2;
/** So many times the wanted hits are looked at where twins are collapsed, since many may be of one kind. */
const twinDepth = 6;
/** Brings the nearness of two tools to the scale of the table, where twins are near 0.85 with all models; that of a service is not known. */
const likenessScale: Readonly<Record<ModelKind, number | null>> = { table: 1, encoder: 1.15, service: null };

type Filter = SearchOptions['filter'];
/** The traits of a model that decide how its vectors are used. */
type ModelTraits = Pick<EmbeddingModel, 'kind' | 'width'>;

/** How well the words of a query fit, by slot, as shares of the best; with how the whole query and its parts scored. */
interface WordFit {
  readonly shares: Float64Array;
  /** How much the words say at all, 0 to 1. */
  readonly trust: number;
  readonly all: readonly WordScores[];
}

export class ToolIndex {
  readonly #words = new LexicalIndex();
  readonly #arrays = new ScoreArrays();
  readonly #names = new ToolNames();
  readonly #likeness: (Likeness | undefined)[] = [];
  /** Of the tools that need any, by slot. */
  readonly #cautions = new Map<number, Caution>();
  #vectors: VectorIndex | undefined;
  #model: ModelTraits = { kind: 'table', width: 0 };
  #synonyms = Synonyms.builtin;

  static build(documents: Iterable<SearchDocument>): ToolIndex {
    const index = new ToolIndex();
    for (const document of documents) index.add(document);
    return index;
  }

  /** Number of tools. */
  get size(): number {
    return this.#words.size;
  }

  /** Memory of the vectors, which Node does not count among its own. */
  get vectorBytes(): number {
    return this.#vectors?.bytes ?? 0;
  }

  has(key: string): boolean {
    return this.#words.has(key);
  }

  /** Adds a tool, or replaces the one with the same key; its vector has to be set again. */
  add(document: SearchDocument): void {
    this.remove(document.key);
    const slot = this.#words.add(document);
    this.#names.add(slot, document.server, document.name);
    this.#likeness[slot] = likenessOf(document);
    const caution = cautionOf(document);
    if (Object.values(caution).some((isSo) => isSo)) this.#cautions.set(slot, caution);
  }

  /** False when there was no such tool. */
  remove(key: string): boolean {
    const slot = this.#words.slotOf(key);
    if (slot === undefined) return false;
    this.#vectors?.clear(slot);
    this.#names.remove(slot);
    this.#likeness[slot] = undefined;
    this.#cautions.delete(slot);
    return this.#words.remove(key);
  }

  /** Forgets all vectors; those to come are of this model. */
  resetVectors(model: ModelTraits): void {
    this.#vectors = new VectorIndex(model.width);
    this.#model = model;
  }

  /** No-op for a tool that is gone meanwhile. */
  setVector(key: string, vector: Vector): void {
    const slot = this.#words.slotOf(key);
    if (slot !== undefined) this.#vectors?.set(slot, vector);
  }

  useSynonyms(more: ReadonlyMap<string, readonly string[]>): void {
    this.#synonyms = Synonyms.builtin.with(more);
  }

  /** Reads a need for a search among what can be seen; `vectors` are to be made of what is meant and of its parts. */
  read(text: string, view?: SearchView): ParsedNeed {
    const meant = inPlainWords(this.#words.mend(text, this.#synonyms, view));
    return { text, meant, parts: partsOf(meant) };
  }

  /** The best tools for several needs: every need's best come before any need's second best. */
  search(queries: readonly PreparedQuery[], options: SearchOptions): Hit[] {
    const limit = Math.min(options.limit, mostHits);
    if (!(limit >= 1)) return [];
    const asked = queries.slice(0, mostNeeds);
    const look = (depth: number) =>
      mergeByRank(
        asked.map((query, need) => this.#searchOne(query, need, depth, options)),
        depth,
      );
    if (!options.collapses) return look(limit);
    for (let depth = limit; ; ) {
      depth = Math.min(mostHits, depth * twinDepth);
      const found = look(depth);
      const kept = collapseTwins(found, limit, (key) => this.#candidateOf(key), options);
      // Where many were of one kind, what comes after them is looked for as well.
      if (kept.length >= limit || found.length < depth || depth === mostHits) return kept;
    }
  }

  /** Tools that may do the same as this one: the nearest in meaning, and those that share most of its words. In no order. */
  alike({ key, text, isByMeaning, limit, filter, view }: AlikeRequest): Alike[] {
    const own = this.#words.slotOf(key);
    if (own === undefined) return [];
    this.#arrays.releaseAll();
    const scale = likenessScale[this.#model.kind];
    const vector = isByMeaning && scale !== null ? this.#vectors?.get(own) : null;
    const near = vector ? this.#vectors?.nearness([vector], this.#words.slotCount) : undefined;
    const words = this.#words.score(text, Synonyms.none, this.#arrays, view)?.scores;
    const isOther = (other: string) => other !== key && filter(other);
    const slots = new Set<number>();
    for (const scores of [near, words])
      for (const slot of scores ? this.#best(scores, limit, isOther) : []) slots.add(slot);
    // A shorter tool may score more than the one that the words are taken from.
    const most = Math.max(words?.[own] ?? 0, Number.MIN_VALUE);
    return Array.from(slots, (slot) => ({
      key: this.#words.keyOf(slot),
      meaning: near && this.#vectors?.has(slot) ? Math.min(1, (near[slot] ?? 0) * (scale ?? 1)) : null,
      words: Math.min(1, (words?.[slot] ?? 0) / most),
    }));
  }

  #searchOne(query: PreparedQuery, need: number, limit: number, options: SearchOptions): Hit[] {
    const { mode = 'hybrid', filter, view, doubts, down, explains } = options;
    this.#arrays.releaseAll();
    const words = mode === 'semantic' ? undefined : this.#wordFit(query, filter, view);
    const near = mode === 'bm25' ? undefined : this.#nearness(query);
    const weight = near ? weightAt(words?.trust ?? 0) : 0;
    const fused = this.#fused(words, near, weight, filter);
    const named = this.#named(query, filter);
    if (!fused && named.length === 0) return [];
    const scores = fused ?? this.#arrays.take(this.#words.slotCount);
    const record = explains ? new ScoreRecord(scores, words?.shares, weight) : undefined;
    const steps: [ScorePart, () => void][] = [
      ['name', () => this.#preferNamed(query, scores, filter)],
      ['context', () => this.#addContext(query, scores, filter)],
      ['use', () => this.#addUsage(query, scores)],
      ['caution', () => this.#takeCare(query, scores)],
      ['doubt', () => this.#takeOff(doubts ?? [], scores)],
      [
        'failure',
        () =>
          this.#takeOff(
            Array.from(down ?? [], (key) => [key, downMalus]),
            scores,
          ),
      ],
    ];
    for (const [part, change] of steps) {
      change();
      record?.note(part, scores);
    }
    const ranked = this.#best(scores, limit, filter);
    const best = scores[ranked[0] ?? 0] ?? 0;
    const first = new Set(this.#ordered(named, scores));
    const slots = [...first, ...ranked.filter((slot) => !first.has(slot))].slice(0, limit);
    let ceiling = 1;
    return slots.map((slot, place) => {
      const score = scores[slot] ?? 0;
      const isNamed = place < named.length;
      const meaning = near && this.#vectors?.has(slot) ? (near[slot] ?? 0) : null;
      const coverage = mode === 'semantic' ? null : bestCoverage(words, slot);
      const relevance = relevanceOf({ coverage, meaning, share: best > 0 ? score / best : 0 }, this.#model.kind);
      // A list reads from best to worst, also where two kinds of evidence disagree on a pair.
      ceiling = Math.min(ceiling, isNamed ? Math.max(relevance, namedRelevance) : relevance);
      const key = this.#words.keyOf(slot);
      const explanation = {
        isNamed,
        ...(words?.all[0] ? matchedWords(words.all[0].terms, slot) : { words: [], similar: [] }),
        lexical: words ? (words.shares[slot] ?? 0) : null,
        coverage,
        meaning,
        usage: query.usage.get(key) ?? null,
      };
      const matches = () => (words?.all[0] ? this.#words.matchesOf(words.all[0].terms, slot, view) : []);
      const breakdown = record && { breakdown: { parts: record.partsOf(slot), matches: matches() } };
      return { key, need, score, relevance: ceiling, explanation, ...breakdown, equals: [], accounts: [] };
    });
  }

  /** The tools that the query names as it was written, or else with its slips mended. */
  #named({ text, meant = text }: PreparedQuery, filter: Filter): number[] {
    const isThere = (slot: number) => filter?.(this.#words.keyOf(slot)) ?? true;
    const named = this.#names.find(text, isThere);
    return named.length > 0 || meant === text ? named : this.#names.find(meant, isThere);
  }

  #ordered(slots: readonly number[], scores: Float64Array): number[] {
    const isBefore = (a: number, b: number) => (this.#words.keyOf(a) < this.#words.keyOf(b) ? -1 : 1);
    return slots.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || isBefore(a, b));
  }

  #wordFit(query: PreparedQuery, filter: Filter, view: SearchOptions['view']): WordFit | undefined {
    const read = (text: string) => this.#words.score(text, this.#synonyms, this.#arrays, view);
    const whole = read(query.meant ?? query.text);
    if (!whole) return undefined;
    const parts = query.parts.map(read).filter((part) => part !== undefined);
    const best = this.#bestScore(whole.scores, filter);
    const trust = trustIn(best, whole.answerable);
    const shares = toShares(this.#arrays.copyOf(whole.scores), best);
    if (parts.length > 1) {
      const each = parts.map((part) => this.#toShares(this.#arrays.copyOf(part.scores), filter));
      addParts(shares, each);
      this.#toShares(shares, filter);
    }
    return { shares, trust, all: [whole, ...parts] };
  }

  #nearness(query: PreparedQuery): Float64Array | undefined {
    if (!this.#vectors || query.vectors.length === 0) return undefined;
    return this.#arrays.copyOf(this.#vectors.nearness(query.vectors, this.#words.slotCount));
  }

  /** `weight`: the share of meaning. */
  #fused(
    words: WordFit | undefined,
    near: Float64Array | undefined,
    weight: number,
    filter: Filter,
  ): Float64Array | undefined {
    // A copy: what is added to a score must not show as a fit of words.
    if (!near) return words && this.#arrays.copyOf(words.shares);
    const nearest = this.#bestScore(near, filter);
    const vectors = this.#vectors;
    return words
      ? fuse(words.shares, near, nearest, weight, (slot) => vectors?.has(slot) ?? false, this.#arrays.take(near.length))
      : toShares(this.#arrays.copyOf(near), nearest);
  }

  #addContext({ context }: PreparedQuery, scores: Float64Array, filter: Filter): void {
    if (!context || !this.#vectors) return;
    const near = this.#arrays.copyOf(this.#vectors.nearness([context], this.#words.slotCount));
    const shares = this.#toShares(near, filter);
    for (let slot = 0; slot < scores.length; slot += 1)
      scores[slot] = (scores[slot] ?? 0) + contextWeight * Math.max(0, shares[slot] ?? 0);
  }

  #preferNamed({ text }: PreparedQuery, scores: Float64Array, filter: Filter): void {
    const best = this.#bestScore(scores, filter);
    const isNear = (slot: number) =>
      (scores[slot] ?? 0) >= best - nearlyEqual && (filter?.(this.#words.keyOf(slot)) ?? true);
    for (const slot of this.#names.findInSentence(text, isNear)) scores[slot] = best * (1 + 1e-9);
  }

  #addUsage({ usage }: PreparedQuery, scores: Float64Array): void {
    for (const [key, { boost }] of usage) this.#add(key, boost, scores);
  }

  #takeOff(amounts: Iterable<readonly [key: string, amount: number]>, scores: Float64Array): void {
    for (const [key, amount] of amounts) this.#add(key, -amount, scores);
  }

  #add(key: string, amount: number, scores: Float64Array): void {
    const slot = this.#words.slotOf(key);
    if (slot !== undefined) scores[slot] = (scores[slot] ?? 0) + amount;
  }

  #takeCare({ text, meant = text }: PreparedQuery, scores: Float64Array): void {
    const asked = askedBy(text, meant);
    for (const [slot, caution] of this.#cautions) scores[slot] = (scores[slot] ?? 0) - malusOf(caution, asked);
  }

  /** Shares of the best tool that may be seen. */
  #toShares(scores: Float64Array, filter: Filter): Float64Array {
    return toShares(scores, this.#bestScore(scores, filter));
  }

  /** Of the tools that may be seen: others must not show through in a score. */
  #bestScore(scores: Float64Array | Float32Array, filter: Filter): number {
    return scores[this.#best(scores, 1, filter)[0] ?? -1] ?? 0;
  }

  #best(scores: Float64Array | Float32Array, limit: number, filter: Filter): number[] {
    return bestSlots(scores, (slot) => this.#words.keyOf(slot), limit, filter);
  }

  #candidateOf(key: string): Candidate {
    const slot = this.#words.slotOf(key) ?? -1;
    const likeness = this.#likeness[slot] ?? { server: '', name: key, text: '', parameters: '' };
    return { likeness, vector: this.#vectors?.get(slot) ?? null };
  }
}

/** Of the whole query, or of the one part that the tool answers best. */
function bestCoverage(words: WordFit | undefined, slot: number): number {
  return Math.max(0, ...(words?.all ?? []).map((found) => coverageOf(found.scores[slot] ?? 0, found.mass)));
}

/** At most `limit` slots with a score above 0, best first, ties in the order of their keys. The filter is asked only about tools good enough to be returned. */
function bestSlots(
  scores: Float64Array | Float32Array,
  keyOf: (slot: number) => string,
  limit: number,
  filter: ((key: string) => boolean) | undefined,
): number[] {
  const best: number[] = [];
  const isBetter = (a: number, b: number): boolean => {
    const difference = (scores[a] ?? 0) - (scores[b] ?? 0);
    return difference !== 0 ? difference > 0 : keyOf(a) < keyOf(b);
  };
  if (!(limit >= 1)) return best;
  // The score of the last one once there are enough: nearly every tool of a large catalog is below it.
  let floor = 0;
  for (let slot = 0; slot < scores.length; slot += 1) {
    const score = scores[slot] ?? 0;
    if (score < floor || score <= 0) continue;
    const last = best[best.length - 1];
    if (best.length >= limit && last !== undefined && !isBetter(slot, last)) continue;
    if (filter && !filter(keyOf(slot))) continue;
    best.splice(placeOf(slot, best, isBetter), 0, slot);
    if (best.length > limit) best.pop();
    if (best.length >= limit) floor = scores[best[best.length - 1] ?? 0] ?? 0;
  }
  return best;
}

function placeOf(slot: number, best: readonly number[], isBetter: (a: number, b: number) => boolean): number {
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBetter(best[middle] ?? 0, slot)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A tool in several lists counts where it ranks best; equal ranks go by relevance, then key. */
function mergeByRank(lists: readonly (readonly Hit[])[], limit: number): Hit[] {
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

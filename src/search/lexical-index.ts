/** Finds tools by their words: BM25F over the fields of a tool, kept up to date one tool at a time. */

import { bestSlots } from './best-slots.ts';
import type { SearchDocument } from './document.ts';
import { countFields, fields } from './fields.ts';
import type { Hit, SearchOptions } from './hit.ts';
import { mergeByRank } from './merge-by-rank.ts';
import type { Postings } from './postings.ts';
import { readQuery, type Term } from './read-query.ts';
import { massOf, relevanceOf, scoreTools, sharesOf } from './score.ts';
import { Vocabulary } from './vocabulary.ts';

/** More than these are cut off: an agent states a few needs and reads a page of answers. */
const limits = { queries: 20, hits: 1_000 };

interface Entry {
  readonly key: string;
  readonly lengths: readonly number[];
  readonly postings: readonly Postings[];
}

export class LexicalIndex {
  readonly #vocabulary = new Vocabulary();
  readonly #slots = new Map<string, number>();
  /** By slot; a freed slot is used again, so that the arrays stay as small as the catalog. */
  readonly #entries: (Entry | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  /** Sum of the words of all tools, by field. */
  readonly #totals = fields.map(() => 0);
  /** Worth of one occurrence by slot and field; undefined after a change, because averages have moved. */
  #shares: Float32Array | undefined;

  static build(documents: Iterable<SearchDocument>): LexicalIndex {
    const index = new LexicalIndex();
    for (const document of documents) index.add(document);
    return index;
  }

  /** Number of tools. */
  get size(): number {
    return this.#slots.size;
  }

  has(key: string): boolean {
    return this.#slots.has(key);
  }

  /** Adds a tool, or replaces the one with the same key. */
  add(document: SearchDocument): void {
    this.remove(document.key);
    const { counts, lengths } = countFields(document);
    const slot = this.#freeSlots.pop() ?? this.#entries.length;
    const postings: Postings[] = [];
    for (const [stem, packed] of counts) {
      const list = this.#vocabulary.getOrAdd(stem);
      list.add(slot, packed);
      postings.push(list);
    }
    this.#entries[slot] = { key: document.key, lengths, postings };
    this.#slots.set(document.key, slot);
    this.#count(lengths, 1);
  }

  /** False when there was no such tool. */
  remove(key: string): boolean {
    const slot = this.#slots.get(key);
    const entry = slot === undefined ? undefined : this.#entries[slot];
    if (slot === undefined || entry === undefined) return false;
    for (const list of entry.postings) {
      list.remove(slot);
      if (list.size === 0) this.#vocabulary.delete(list.stem);
    }
    this.#entries[slot] = undefined;
    this.#freeSlots.push(slot);
    this.#slots.delete(key);
    this.#count(entry.lengths, -1);
    return true;
  }

  /** The best tools for several needs, one query each: every query's best come before any query's second best. */
  search(queries: readonly string[], options: SearchOptions): Hit[] {
    const limit = Math.min(options.limit, limits.hits);
    const lists = queries.slice(0, limits.queries).map((query) => this.#searchOne(query, limit, options.filter));
    return mergeByRank(lists, limit);
  }

  #searchOne(query: string, limit: number, filter: SearchOptions['filter']): Hit[] {
    const terms = readQuery(query, this.#vocabulary);
    if (!terms.some((term) => term.alternatives.length > 0)) return [];
    this.#shares ??= sharesOf(this.#entries, this.#totals, this.size);
    const scores = scoreTools(terms, this.size, this.#shares);
    const mass = massOf(terms, this.size);
    return bestSlots(scores, (slot) => this.#keyOf(slot), limit, filter).map((slot) => {
      const score = scores[slot] ?? 0;
      return { key: this.#keyOf(slot), score, relevance: relevanceOf(score, mass), matched: matchedWords(terms, slot) };
    });
  }

  #keyOf(slot: number): string {
    return this.#entries[slot]?.key ?? '';
  }

  #count(lengths: readonly number[], sign: 1 | -1): void {
    for (const [field, length] of lengths.entries()) this.#totals[field] = (this.#totals[field] ?? 0) + sign * length;
    this.#shares = undefined;
  }
}

function matchedWords(terms: readonly Term[], slot: number): string[] {
  return terms.filter((term) => term.alternatives.some(({ postings }) => postings.has(slot))).map((term) => term.word);
}

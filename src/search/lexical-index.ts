/** Finds tools by their words: BM25F over the fields of a tool, kept up to date one tool at a time. */

import type { SearchDocument } from './document.ts';
import { countFields, fields } from './fields.ts';
import type { Postings } from './postings.ts';
import { readQuery, type Term } from './read-query.ts';
import { answerableOf, massOf, scoreTools, sharesOf } from './score.ts';
import type { ScoreArrays } from './score-arrays.ts';
import type { Synonyms } from './synonyms.ts';
import { Vocabulary } from './vocabulary.ts';

/** How well the words of one query fit, by slot. */
export interface WordScores {
  readonly scores: Float64Array;
  readonly terms: readonly Term[];
  /** What a tool would score at most. */
  readonly mass: number;
  /** What a tool that fits well may be expected to score. */
  readonly answerable: number;
}

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

  /** Adds a tool, or replaces the one with the same key. Gives its slot. */
  add(document: SearchDocument): number {
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
    return slot;
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

  /** Slots are below this number; some may be free. */
  get slotCount(): number {
    return this.#entries.length;
  }

  slotOf(key: string): number | undefined {
    return this.#slots.get(key);
  }

  keyOf(slot: number): string {
    return this.#entries[slot]?.key ?? '';
  }

  /** What every tool scores for a query; undefined when no tool has any of its words. */
  score(query: string, synonyms: Synonyms, arrays: ScoreArrays): WordScores | undefined {
    const terms = readQuery(query, this.#vocabulary, synonyms);
    if (!terms.some((term) => term.alternatives.length > 0)) return undefined;
    this.#shares ??= sharesOf(this.#entries, this.#totals, this.size);
    const mass = massOf(terms, this.size);
    const scores = scoreTools(terms, this.size, this.#shares, arrays);
    return { scores, terms, mass, answerable: answerableOf(mass, this.size) };
  }

  #count(lengths: readonly number[], sign: 1 | -1): void {
    for (const [field, length] of lengths.entries()) this.#totals[field] = (this.#totals[field] ?? 0) + sign * length;
    this.#shares = undefined;
  }
}

/** The words of the query that a tool has: itself, and by its server, a synonym or a guess. */
export function matchedWords(terms: readonly Term[], slot: number): { words: string[]; similar: string[] } {
  const words: string[] = [];
  const similar: string[] = [];
  for (const { word, alternatives, isKnown } of terms) {
    if (isKnown && alternatives[0]?.postings.hasOwn(slot)) words.push(word);
    else if (alternatives.some(({ postings }) => postings.has(slot))) similar.push(word);
  }
  return { words, similar };
}

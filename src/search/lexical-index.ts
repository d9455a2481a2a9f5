/** Finds tools by their words: BM25F over the fields of a tool, kept up to date one tool at a time. */

import type { SearchDocument } from './document.ts';
import { countFields, fields } from './fields.ts';
import type { SearchView, WordMatch } from './hit.ts';
import { mendSlips } from './mend-slips.ts';
import type { Postings } from './postings.ts';
import { readQuery, type Term } from './read-query.ts';
import { answerableOf, massOf, matchesIn, type ScoreArrays, scoreTools, sharesOf } from './score.ts';
import type { Synonyms } from './synonyms.ts';
import { SeenVocabulary, Vocabulary } from './vocabulary.ts';

/** How well the words of one query fit, by slot. */
export interface WordScores {
  readonly scores: Float64Array;
  readonly terms: readonly Term[];
  /** The highest possible score. */
  readonly mass: number;
  /** The expected score of a tool that fits well. */
  readonly answerable: number;
}

/** The tools among which words are weighed: all, or those in a view. */
interface Scales {
  readonly vocabulary: Vocabulary;
  readonly size: number;
  /** Worth of one occurrence by slot and field. */
  readonly shares: Float32Array;
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
  /** Forgotten after a change, because averages have moved. */
  #scales: Scales | undefined;
  #scalesOf = new WeakMap<SearchView, Scales>();

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

  /** The scores of all tools in the view for a query; undefined when none of them has any of its words. */
  score(query: string, synonyms: Synonyms, arrays: ScoreArrays, view?: SearchView): WordScores | undefined {
    const { vocabulary, size, shares } = view ? this.#weighedBy(view) : this.#weighed();
    const terms = readQuery(query, vocabulary, synonyms);
    if (!terms.some((term) => term.alternatives.length > 0)) return undefined;
    const mass = massOf(terms, size);
    const scores = scoreTools(terms, size, shares, arrays);
    return { scores, terms, mass, answerable: answerableOf(mass, size) };
  }

  /** The share of each term in the score of a tool. */
  matchesOf(terms: readonly Term[], slot: number, view?: SearchView): readonly WordMatch[] {
    const { size, shares } = view ? this.#weighedBy(view) : this.#weighed();
    return matchesIn(terms, size, shares, slot);
  }

  /** The query with its slips mended, by the words of the tools that can be seen. */
  mend(query: string, synonyms: Synonyms, view?: SearchView): string {
    const { vocabulary } = view ? this.#weighedBy(view) : this.#weighed();
    return mendSlips(query, vocabulary, synonyms);
  }

  #weighed(): Scales {
    this.#scales ??= {
      vocabulary: this.#vocabulary,
      size: this.size,
      shares: sharesOf(this.#entries, this.#totals, this.size),
    };
    return this.#scales;
  }

  /** As if there were nothing else: what others have must not show in what a word is worth. */
  #weighedBy(view: SearchView): Scales {
    const known = this.#scalesOf.get(view);
    if (known) return known;
    const seen = this.#entries.map((entry) => (entry && view.has(entry.key) ? entry : undefined));
    const totals = fields.map((_, field) => seen.reduce((sum, entry) => sum + (entry?.lengths[field] ?? 0), 0));
    const size = seen.filter((entry) => entry !== undefined).length;
    const scales = {
      vocabulary: new SeenVocabulary(this.#vocabulary, (slot) => seen[slot] !== undefined),
      size,
      shares: sharesOf(seen, totals, size),
    };
    this.#scalesOf.set(view, scales);
    return scales;
  }

  #count(lengths: readonly number[], sign: 1 | -1): void {
    for (const [field, length] of lengths.entries()) this.#totals[field] = (this.#totals[field] ?? 0) + sign * length;
    this.#scales = undefined;
    this.#scalesOf = new WeakMap();
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

/** Every word that some tool contains, and the words nearest to one that none contains. */

import { stemmer } from 'stemmer';
import { Postings } from './postings.ts';
import { stemOf } from './words.ts';

const alphabet = [...'abcdefghijklmnopqrstuvwxyz'];
/** Digits are not mended: 2024 is not a slip for 2025. */
const plainWord = /^[a-z]+$/;
/** Longer texts are data, not words: with fifty slips a letter, one of 50 kB would hold up the gateway for seconds. */
const longestMended = 40;
/** Endings that stemming takes off are no longer than this. */
const longestEnding = 4;
/** The most common words that a misspelt one may stand for. */
const mendingsCompared = 4;
const mostEditsKept = 200;
/** In characters: a shorter word with one letter changed is more often another word (brunch, branch) than a slip. */
const shortestChanged = 7;
/** Mending into shorter words finds chance neighbours, not what was meant. */
const shortestMended = 3;

export class Vocabulary {
  readonly #postings = new Map<string, Postings>();
  /** Built when first asked for after a change, since only unknown words need it. */
  #sorted: string[] | undefined;
  /** Words found one slip away. A search asks twice: to mend the query, and to guess words that it cannot mend. */
  readonly #edits = new Map<string, readonly Postings[]>();

  get(stem: string): Postings | undefined {
    return this.#postings.get(stem);
  }

  getOrAdd(stem: string): Postings {
    if (this.#edits.size > 0) this.#edits.clear();
    const known = this.#postings.get(stem);
    if (known) return known;
    const added = new Postings(stem);
    this.#postings.set(stem, added);
    this.#sorted = undefined;
    return added;
  }

  delete(stem: string): void {
    if (this.#edits.size > 0) this.#edits.clear();
    this.#postings.delete(stem);
    this.#sorted = undefined;
  }

  /** The tools that contain every word of a phrase of stems, counted where its rarest word stands. */
  containing(phrase: string): Postings | undefined {
    const lists = phrase.split(' ').map((stem) => this.get(stem));
    const known = lists.filter((list) => list !== undefined).sort((a, b) => a.size - b.size);
    const [rarest, ...others] = known;
    if (rarest === undefined || known.length < lists.length) return undefined;
    if (others.length === 0) return rarest;
    const both = new Postings(phrase);
    for (let at = 0; at < 2 * rarest.size; at += 2) {
      const slot = rarest.pairs[at] ?? 0;
      if (others.every((list) => list.has(slot))) both.add(slot, rarest.pairs[at + 1] ?? 0);
    }
    return both.size > 0 ? both : undefined;
  }

  /** The most common words that begin with `prefix`. */
  startingWith(prefix: string, limit: number): Postings[] {
    const found = this.stemsFrom(prefix).flatMap((stem) => this.get(stem) ?? []);
    return mostCommon(found, limit);
  }

  /** Every word that begins with `prefix`, in order. */
  stemsFrom(prefix: string): string[] {
    this.#sorted ??= [...this.#postings.keys()].sort();
    const from = lowerBound(this.#sorted, prefix);
    let to = from;
    while (this.#sorted[to]?.startsWith(prefix)) to += 1;
    return this.#sorted.slice(from, to);
  }

  /**
   * The most common words one slip away from `word`: a letter added, lost, changed, or two swapped; the first letter is taken
   * as right. Tries every slip instead of every known word, so the cost does not grow with the catalog.
   */
  oneEditFrom(word: string, limit: number): Postings[] {
    if (word.length > longestMended || !plainWord.test(word)) return [];
    const known = this.#edits.get(word);
    if (known) return known.slice(0, limit);
    if (this.#edits.size >= mostEditsKept) this.#edits.clear();
    const found = mostCommon([...this.#oneEdit(word)], mendingsCompared);
    this.#edits.set(word, found);
    return found.slice(0, limit);
  }

  #oneEdit(word: string): Set<Postings> {
    const found = this.#known(editsOf(stemOf(word), 1));
    if (found.size > 0) return found;
    // A slip in the ending changes how the word is stemmed (calender, calendar): mend first, then stem. Not through the
    // cache, which these inventions would fill.
    return this.#known([...editsOf(word, Math.max(1, word.length - longestEnding))].map(stemmer));
  }

  /** The word that a misspelt one most likely stands for: tools are named by it most; a form that `isWord` goes first. */
  mended(word: string, isWord: (form: string) => boolean): string | undefined {
    const byName = this.oneEditFrom(word, mendingsCompared).toSorted((a, b) => b.namedSize - a.namedSize);
    return byName.map(({ stem }) => wordFor(stem, word, isWord)).find((form) => !isOther(word, form));
  }

  #known(stems: Iterable<string>): Set<Postings> {
    const found = new Set<Postings>();
    for (const stem of stems) {
      const postings = this.get(stem);
      if (postings && stem.length >= shortestMended) found.add(postings);
    }
    return found;
  }
}

/** The words of some tools only: what stands in none of them is not known. */
export class SeenVocabulary extends Vocabulary {
  readonly #whole: Vocabulary;
  readonly #isSeen: (slot: number) => boolean;
  readonly #seen = new Map<string, Postings | undefined>();

  constructor(whole: Vocabulary, isSeen: (slot: number) => boolean) {
    super();
    this.#whole = whole;
    this.#isSeen = isSeen;
  }

  override get(stem: string): Postings | undefined {
    if (this.#seen.has(stem)) return this.#seen.get(stem);
    const all = this.#whole.get(stem);
    // Words of queries that nobody has are not remembered.
    if (!all) return undefined;
    const some = all.among(this.#isSeen);
    const postings = some.size > 0 ? some : undefined;
    this.#seen.set(stem, postings);
    return postings;
  }

  override stemsFrom(prefix: string): string[] {
    return this.#whole.stemsFrom(prefix);
  }
}

function mostCommon(found: Postings[], limit: number): Postings[] {
  return found.sort((a, b) => b.size - a.size || (a.stem < b.stem ? -1 : 1)).slice(0, limit);
}

/** True where two short words of the same length differ by more than the order of their letters. */
function isOther(word: string, form: string): boolean {
  const lettersOf = (text: string) => [...text].sort().join('');
  return word.length < shortestChanged && form.length === word.length && lettersOf(form) !== lettersOf(word);
}

/** A word with this stem: with the ending of another one (`repositori` like `repositry`: `repository`), or with its ending mended (`calendar`). */
function wordFor(stem: string, like: string, isWord: (form: string) => boolean): string {
  const cut = stemOf(like);
  let same = 0;
  while (same < cut.length && cut[same] === like[same]) same += 1;
  const ending = cut.slice(same);
  const inflected = stem.endsWith(ending) ? stem.slice(0, stem.length - ending.length) + like.slice(same) : stem;
  if (isWord(inflected) && stemmer(inflected) === stem) return inflected;
  for (const form of editsOf(like, Math.max(1, like.length - longestEnding)))
    if (isWord(form) && stemmer(form) === stem) return form;
  return stemmer(inflected) === stem ? inflected : stem;
}

/** Every text one slip away, where the slip is at position `from` or later. */
function* editsOf(word: string, from: number): Generator<string> {
  for (let at = from; at <= word.length; at += 1) {
    const head = word.slice(0, at);
    const tail = word.slice(at + 1);
    if (at < word.length) yield head + tail;
    if (at + 1 < word.length) yield `${head}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
    for (const letter of alphabet) {
      yield `${head}${letter}${word.slice(at)}`;
      if (at < word.length) yield head + letter + tail;
    }
  }
}

/** The index of the first item that is not below `wanted`. */
function lowerBound(sorted: readonly string[], wanted: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

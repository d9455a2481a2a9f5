/** Turns a query into terms: what each of its words stands for in the index, by synonym or guess where it must be. */

import type { Postings } from './postings.ts';
import { longestPhrase, Synonyms } from './synonyms.ts';
import type { Vocabulary } from './vocabulary.ts';
import { isStopWord, stemOf, tokensOf } from './words.ts';

/** A query that exceeds these is cut, not refused: an agent that pastes a page still gets an answer in bounded time. */
const limits = { characters: 10_000, words: 64, guesses: 8 };
const alternativesPerWord = 3;
/** Shorter words have too many neighbours for a guess to be worth anything. */
const shortestGuessed = 4;
const guessWeight = 0.6;
/** For an unknown word: a synonym is no less sure than a guess. */
const standInWeight = 0.6;
/** Beside the word itself: enough to lift tools that lack it, little enough that its exact matches do not drown. */
const synonymWeight = 0.25;

export interface TermAlternative {
  readonly postings: Postings;
  readonly weight: number;
}

/** One word of the query. No alternatives: no tool contains it or anything like it. */
export interface Term {
  readonly word: string;
  readonly alternatives: readonly TermAlternative[];
  /** True where tools contain the word itself: it is then the first alternative, and its synonyms are the others. */
  readonly isKnown: boolean;
}

export function readQuery(query: string, vocabulary: Vocabulary, synonyms: Synonyms = Synonyms.builtin): Term[] {
  let guessesLeft = limits.guesses;
  const words = contentWords(query, vocabulary);
  const stems = words.map(stemOf);
  return words.map((word, at) => {
    const asked = [stems[at] ?? '', ...phrasesAround(stems, at)];
    const own = vocabulary.get(stems[at] ?? '');
    if (own) {
      const others = knownOf(
        asked.flatMap((phrase) => synonyms.of(phrase)),
        vocabulary,
        synonymWeight,
      );
      return { word, isKnown: true, alternatives: [{ postings: own, weight: 1 }, ...others] };
    }
    const standIns = knownOf(
      asked.flatMap((phrase) => synonyms.standInsFor(phrase)),
      vocabulary,
      standInWeight,
    );
    if (standIns.length > 0) return { word, isKnown: false, alternatives: standIns };
    if (word.length < shortestGuessed || guessesLeft === 0) return { word, isKnown: false, alternatives: [] };
    guessesLeft -= 1;
    return { word, isKnown: false, alternatives: guess(word, vocabulary) };
  });
}

/** The words that count, once each. Stop words are dropped unless there is nothing else: a tool may be called `who`. */
function contentWords(query: string, vocabulary: Vocabulary): string[] {
  const byStem = new Map<string, string>();
  const stopped = new Map<string, string>();
  for (const { whole, parts } of tokensOf(query.slice(0, limits.characters))) {
    const isKnownWhole = whole !== undefined && vocabulary.get(stemOf(whole)) !== undefined;
    for (const word of isKnownWhole ? [whole] : parts) {
      const words = isStopWord(word) ? stopped : byStem;
      if (words.size < limits.words && !words.has(stemOf(word))) words.set(stemOf(word), word);
    }
  }
  return [...(byStem.size > 0 ? byStem : stopped).values()];
}

/** The phrases of neighbouring words that the word at this place is part of. */
function phrasesAround(stems: readonly string[], at: number): string[] {
  const phrases: string[] = [];
  for (let length = 2; length <= longestPhrase; length += 1) {
    for (let from = Math.max(0, at - length + 1); from <= at && from + length <= stems.length; from += 1) {
      phrases.push(stems.slice(from, from + length).join(' '));
    }
  }
  return phrases;
}

function knownOf(phrases: readonly string[], vocabulary: Vocabulary, weight: number): TermAlternative[] {
  const lists = [...new Set(phrases)].map((phrase) => vocabulary.containing(phrase));
  return lists.filter((postings) => postings !== undefined).map((postings) => ({ postings, weight }));
}

/** Only for words that the index does not know, so that a guess never competes with an exact match of the same word. */
function guess(word: string, vocabulary: Vocabulary): TermAlternative[] {
  const completed = vocabulary.startingWith(word, alternativesPerWord);
  const found = completed.length > 0 ? completed : vocabulary.oneEditFrom(word, alternativesPerWord);
  return found.map((postings) => ({ postings, weight: guessWeight }));
}

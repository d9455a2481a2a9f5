/** Turns a query into terms: what each of its words stands for in the index, misspelt and unfinished ones included. */

import type { Postings } from './postings.ts';
import { isStopWord } from './stop-words.ts';
import type { Vocabulary } from './vocabulary.ts';
import { stemOf, tokensOf } from './words.ts';

/** A query that exceeds these is cut, not refused: an agent that pastes a page still gets an answer in bounded time. */
const limits = { characters: 10_000, words: 64, guesses: 8 };
const alternativesPerWord = 3;
/** Shorter words have too many neighbours for a guess to be worth anything. */
const shortestGuessed = 4;
const guessWeight = 0.6;

export interface Alternative {
  readonly postings: Postings;
  readonly weight: number;
}

/** One word of the query. No alternatives: no tool contains it or anything like it. */
export interface Term {
  readonly word: string;
  readonly alternatives: readonly Alternative[];
}

export function readQuery(query: string, vocabulary: Vocabulary): Term[] {
  let guessesLeft = limits.guesses;
  return contentWords(query, vocabulary).map((word) => {
    const postings = vocabulary.get(stemOf(word));
    if (postings) return { word, alternatives: [{ postings, weight: 1 }] };
    if (word.length < shortestGuessed || guessesLeft === 0) return { word, alternatives: [] };
    guessesLeft -= 1;
    return { word, alternatives: guess(word, vocabulary) };
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

/** Only for words that the index does not know, so that a guess never competes with an exact match of the same word. */
function guess(word: string, vocabulary: Vocabulary): Alternative[] {
  const completed = vocabulary.startingWith(word, alternativesPerWord);
  const found = completed.length > 0 ? completed : vocabulary.oneEditFrom(word, alternativesPerWord);
  return found.map((postings) => ({ postings, weight: guessWeight }));
}

/** Mends misspelt words of a query, so that its meaning is that of the words that were meant. */

import { openWordPieces } from '../meaning/meaning.ts';
import type { Synonyms } from './synonyms.ts';
import type { Vocabulary } from './vocabulary.ts';
import { isStopWord, stemOf } from './words.ts';

/** Shorter words have too many neighbours: one alone, one that lost a letter beside another slip, one that is a word besides. */
const shortest = { alone: 4, besides: 3, word: 5 };
/** Words that are corrected at most: more are no slips, but another language. */
const mostMended = 8;

/** Whole words: of one with other letters (`pokaż`), the plain ones are no word. */
const plainWord = /(?<![\p{L}\p{M}])[a-z]+(?![\p{L}\p{M}])/giu;

/**
 * A word is misspelt that neither the tools nor the models know, and that is one slip away from a word of the tools. A word that the
 * models know (boat) is taken at its meaning, although it is near another one (boot), unless there are slips beside it: who
 * writes "crate pul reqest" means no crate.
 */
export function mendSlips(query: string, vocabulary: Vocabulary, synonyms: Synonyms): string {
  const isStrange = (word: string) => !isKnown(word, vocabulary, synonyms);
  const once = mendWords(
    query,
    vocabulary,
    (word) => word.length >= shortest.alone && !isWord(word) && isStrange(word),
  );
  if (once === query) return query;
  return mendWords(once, vocabulary, (word) => (word.length >= shortest.word || !isWord(word)) && isStrange(word));
}

function mendWords(query: string, vocabulary: Vocabulary, isSlip: (word: string) => boolean): string {
  let left = mostMended;
  return query.replace(plainWord, (written) => {
    const word = written.toLowerCase();
    if (left === 0 || word.length < shortest.besides || !isSlip(word)) return written;
    left -= 1;
    const mended = vocabulary.mended(word, isWord) ?? written;
    return word.length >= shortest.alone || mended.length > word.length ? mended : written;
  });
}

function isWord(word: string): boolean {
  return openWordPieces().isWord(word);
}

function isKnown(word: string, vocabulary: Vocabulary, synonyms: Synonyms): boolean {
  const stem = stemOf(word);
  if (vocabulary.get(stem) !== undefined || isStopWord(word) || synonyms.standInsFor(stem).length > 0) return true;
  return word.length >= shortest.alone && vocabulary.startingWith(word, 1).length > 0;
}

/** Reads the needs out of the queries of a search: agents send one text, a list of phrases, or a list of keywords. */

import { cutAtWord } from '../base/text.ts';
import { partsBeyond } from '../meaning/meaning.ts';
import { mostNeeds } from '../search/search.ts';

/** Needs that were not searched and are named in the notice: how many, and characters of each. */
const named = { needs: 5, characters: 60 };
/** In characters. */
const longestWord = 40;
/** Texts of one search that are read: reading is work, and an agent states a few needs with a few keywords each. */
const mostTexts = 200;
/** Characters of a need in which sentences are looked for: a search reads no more. */
const mostCharacters = 10_000;

interface Needs {
  readonly queries: readonly string[];
  /** Names the needs that were left out; null where none was. */
  readonly notice: string | null;
}

/** A phrase is a need of its own. Single words in a row are the keywords of one need. */
export function readNeeds(given: readonly string[]): Needs {
  const groups: string[][] = [];
  let keywords: string[] | undefined;
  for (const text of given.slice(0, mostTexts)) {
    const isWord = isSingleWord(text);
    if (isWord && keywords) keywords.push(text);
    else groups.push([text]);
    keywords = isWord ? groups.at(-1) : undefined;
  }
  const needs = groups.map(([only = '', ...more]) =>
    more.length === 0 ? only : [only, ...more].map((text) => text.trim()).join(' '),
  );
  const queries = needs.slice(0, mostNeeds);
  const sentences = queries.flatMap((query) => partsBeyond(query.slice(0, mostCharacters)));
  const beyond = new Set([...sentences, ...needs.slice(mostNeeds), ...given.slice(mostTexts)]);
  return { queries, notice: beyond.size === 0 ? null : leftOut([...beyond]) };
}

function leftOut(needs: readonly string[]): string {
  const shown = needs.slice(0, named.needs).map((need) => `"${cutAtWord(need.trim(), named.characters)}"`);
  const more = needs.length > shown.length ? ` and ${needs.length - shown.length} more` : '';
  return `Too many needs for one search. Search again for: ${shown.join(', ')}${more}.`;
}

/** A word of any script. `git_commit` and `gitCommit` are names, and a name is a need of its own; GitHub is a word. */
function isSingleWord(text: string): boolean {
  const word = text.trim();
  if (word.length > longestWord || /[\s_:/]|^\p{Ll}+\p{Lu}/u.test(word)) return false;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  // The letter of `e-mail` or `C++` makes no second word.
  for (const { isWordLike, segment } of segmenter.segment(word))
    if (isWordLike && !/^[a-z]$/i.test(segment)) words += 1;
  return words < 2;
}

let segmenter: Intl.Segmenter | undefined;

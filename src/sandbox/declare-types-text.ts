/** Words of servers inside declarations: nothing in them can end a comment, a text or a name. */

import { cutAtWord, printable } from '../base/text.ts';

const identifier = /^[A-Za-z_$][\w$]*$/;

export function nameOf(name: string): string {
  return identifier.test(name) ? name : quoted(name);
}

/** A text as a literal, with everything that could deceive a reader written as an escape. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A text for inside a comment. */
export function commented(text: string): string {
  return printable(text)
    .replace(/\*(?=\/)/g, '* ')
    .replace(/\/(?=\*)/g, '/ ')
    .trim();
}

const longestNote = 70;
const emptyWords = new Set(
  'a an the of for to in on with and or is be this that it as by from you your id name'.split(' '),
);

/** What a description says beyond the name of what it describes; empty where that is next to nothing. */
export function noteOf(name: string, description: unknown): string {
  if (typeof description !== 'string') return '';
  const flat = commented(description.slice(0, 500).replace(/\s+/g, ' '));
  const sentence = /^.*?[.!?](?=\s|$)/.exec(flat)?.[0].replace(/\.$/, '') ?? flat;
  const own = new Set(wordsOf(name));
  const news = wordsOf(sentence).filter(
    (word) => !own.has(word) && !own.has(word.replace(/s$/, '')) && !emptyWords.has(word),
  );
  return news.length < 2 ? '' : cutAtWord(sentence, longestNote);
}

function wordsOf(text: string): string[] {
  const split = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return split.match(/[\p{L}\p{N}]+/gu) ?? [];
}

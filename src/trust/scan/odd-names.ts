/** Finds names that cannot be told from others by looking at them: unseen characters, directions, letters of two alphabets. */

import type { Definition } from '../judgement.ts';
import type { Sign } from './sign.ts';

/** Controls, line breaks, invisible and direction characters, halves of characters; an emoji may say that it is one. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]|(?!(?<=\p{Extended_Pictographic})\ufe0f)\p{Default_Ignorable_Code_Point}/u;
/** Alphabets whose letters look like those of the others; with ideographs and syllables Latin letters are common. */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/** Of tools and prompts, which are called by their names; a resource is read by its address. */
export function oddName({ name, uri, uriTemplate }: Definition): Sign[] {
  if (typeof name !== 'string' || uri !== undefined || uriTemplate !== undefined) return [];
  const found = (says: string): Sign[] => [
    { code: 'hidden-text', kind: 'odd-name', points: 100, where: 'name', says, excerpt: name },
  ];
  if (unseen.test(name)) return found('Its name has a character that nobody sees');
  if (name !== name.trim()) return found('Its name begins or ends with a space');
  const used = alphabets.filter((alphabet) => alphabet.test(name)).length;
  return used > 1 ? found('Its name mixes letters of two alphabets that look alike') : [];
}

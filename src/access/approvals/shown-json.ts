/** A call as its approver sees it: nothing in it can hide, steer a terminal or pass for our own words. */

import { limits } from '../../config/config.ts';

export interface ShownJson {
  /** Lines of JSON; characters that cannot be seen stand there as escapes. */
  readonly text: string;
  /** How long the text is in full. */
  readonly characters: number;
  readonly isCut: boolean;
}

/** Arguments, or what is sent beside them; nothing is shown as an empty object. */
export function showJson(value: unknown): ShownJson {
  const whole = JSON.stringify(value ?? {}, null, 2) ?? '{}';
  const part = whole.length <= limits.shownArgumentChars ? whole : whole.slice(0, limits.shownArgumentChars);
  // Lines of JSON have no line breaks of their own, so that those which are left are ours.
  const text = part.split('\n').map(escapeUnseen).join('\n');
  return { text, characters: whole.length, isCut: part.length < whole.length };
}

/** Controls, directions, fillers, halves of characters and everything else that is not seen; a text in which there is none stays as it is. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Every character that cannot be seen as its escape. */
export function escapeUnseen(text: string): string {
  return text.replace(unseen, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

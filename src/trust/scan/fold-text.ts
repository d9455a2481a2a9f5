/** Brings text into the one form in which phrases are looked for, and shows it to people with nothing hidden. */

import { undisguised } from './look-alikes.ts';

/** Characters without a look of their own. */
export const unseen =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|[\u17b4-\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e01ef}\u{1d173}-\u{1d17a}]/gu;

/** Compatibility forms undone, look-alikes read, hidden characters dropped, small letters, plain quotes and single spaces. */
export function folded(text: string): string {
  return undisguised(text.normalize('NFKC'))
    .replace(unseen, '')
    .replace(/(?<=[A-Za-z ])[\u0300-\u036f\u0489]+/g, '')
    .toLowerCase()
    .replace(/[‘’ʼ´]/g, "'")
    .replace(/[‐‑‒–]/g, '-')
    .replace(/[^\S\n]+/g, ' ');
}

const longestExcerpt = 120;

/** For a person: hidden characters as escapes, one line, cut. */
export function shown(text: string): string {
  const flat = text
    .slice(0, 4 * longestExcerpt)
    .replace(/\s+/g, ' ')
    .trim();
  const visible = flat.replace(unseen, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  const chars = [...visible];
  return chars.length <= longestExcerpt ? visible : `${chars.slice(0, longestExcerpt).join('')}…`;
}

/** A line of text while it is typed. */

import type { TypedText } from '../keys.ts';

/** The part around the cursor that fits in so many columns. */
export function textAtCursor({ text, at }: TypedText, columns: number): string {
  const characters = [...text];
  const shown = [...characters.slice(0, at), '█', ...characters.slice(at)];
  const first = Math.max(0, at - columns + 2);
  return first === 0 ? shown.join('') : `…${shown.slice(first + 1).join('')}`;
}

/** Tells what says something to people (numbers, words, places) from what only a machine would write, such as a secret. */

const path = /^(?:[~./\\]|[A-Za-z]:[\\/])/;
const address = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s@]*$/i;
const words = /^[\p{L}\p{M}]{0,20}\d{0,6}(?:[-_. ,;:@/*][\p{L}\p{M}]{0,20}\d{0,6})*$/u;
/** Shorter texts say nothing either way. */
export const leastOddChars = 8;
const mostWordChars = 4_096;

/** Values that are no secret by themselves, and that stand in many texts by chance. */
export function isOrdinary(value: string): boolean {
  if (value.length < leastOddChars) return true;
  return value.length <= mostWordChars && (isPlace(value) || words.test(value));
}

/** A path or an address without user information. */
export function isPlace(value: string): boolean {
  return path.test(value) || address.test(value);
}

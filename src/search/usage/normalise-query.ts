/** The form in which a query is remembered: the same need typed with other capitals or spaces is the same query. */

import { redactText } from '../../base/redact.ts';

/** Characters of a query that are remembered. */
export const mostQueryCharacters = 300;
/** Characters that are looked at: what comes after so many could only be kept if nearly all before were spaces. */
const mostReadCharacters = 4 * mostQueryCharacters;

/** Empty for a query that says nothing. Remembered queries outlive the conversation, so secrets in them are masked. */
export function normaliseQuery(query: string): string {
  const squeezed = query.trimStart().slice(0, mostReadCharacters).replace(/\s+/g, ' ');
  return redactText(squeezed)
    .toLowerCase()
    .slice(0, mostQueryCharacters)
    .replace(/[\ud800-\udbff]$/, '') // half a character, where the cut went through it
    .trimEnd();
}

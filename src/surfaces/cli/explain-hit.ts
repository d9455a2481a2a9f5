/** Why a tool that was found stands where it stands, as one line. */

import { isObject } from '../../base/json.ts';
import { printable } from '../../base/text.ts';

/** `score 0.93: words 1.00 (create, issue; like: ticket; 80 % of the query), meaning 0.61, usage +0.05`; empty where nothing is known. */
export function explainHit(explanation: unknown): string {
  // Another service that found the tool gives its reason as a text.
  if (typeof explanation === 'string') return printable(explanation);
  if (!isObject(explanation)) return '';
  const { score, isNamed, lexical, meaning, usage } = explanation;
  const parts: string[] = isNamed === true ? ['the query is its name'] : [];
  if (typeof lexical === 'number') parts.push(`words ${decimals(lexical)} (${matchesIn(explanation)})`);
  if (typeof meaning === 'number') parts.push(`meaning ${decimals(meaning)}`);
  if (isObject(usage) && typeof usage.boost === 'number')
    parts.push(`usage ${usage.boost < 0 ? '' : '+'}${decimals(usage.boost)}`);
  return printable(`score ${decimals(Number(score))}: ${parts.join(', ') || 'nothing was compared here'}`);
}

/** The words that the tool has, then those that a synonym or a guess stands for, then how much of the query they make up. */
function matchesIn({ words, similar, coverage }: Record<string, unknown>): string {
  const literal = Array.isArray(words) ? words.join(', ') : '';
  const guessed = Array.isArray(similar) && similar.length > 0 ? `like: ${similar.join(', ')}` : '';
  const share = typeof coverage === 'number' ? `${Math.round(coverage * 100)} % of the query` : '';
  const matched = [literal, guessed].filter((part) => part !== '').join('; ') || 'none';
  return share === '' ? matched : `${matched}; ${share}`;
}

function decimals(value: number): string {
  return value.toFixed(2);
}

/** Why a tool was found, as one sentence for an agent or for another program. */

import type { Hit, SearchMode } from '../search/search.ts';

/** Words that are named in a reason. */
const wordsNamed = 5;
/** From here on a meaning counts as near: three in four tools that were asked for reach it, and few others. */
const nearMeaning = 0.3;

/** In the words of the service that found it, where it gave a reason. `isDoubted`: the tool often fails. */
export function reasonForHit(
  { explanation: { isNamed, words, meaning, usage }, givenReason }: Hit,
  mode: SearchMode | null,
  isDoubted = false,
): string {
  if (givenReason !== undefined) return isDoubted ? `${givenReason} (It often fails.)` : givenReason;
  const reasons: string[] = [];
  const named = listed(words.slice(0, wordsNamed).map(quoted));
  if (isNamed) reasons.push('the query is its name');
  else if (words.length > 0) reasons.push(`it has the ${words.length > 1 ? 'words' : 'word'} ${named}`);
  if (meaning !== null && meaning >= nearMeaning) reasons.push('it is near in meaning');
  if (usage && usage.boost > 0) reasons.push('it was used before for a like need');
  if (mode === 'llm') reasons.push('a model ranked it');
  if (mode === 'cloud') reasons.push('another gateway ranked it');
  const sentence = reasons.length > 0 ? listed(reasons) : 'it is the nearest that there is';
  const failedSo = usage && usage.boost < 0 ? ', though it failed lately for such needs' : '';
  const warning = isDoubted ? ', though it often fails' : failedSo;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${warning}.`;
}

function quoted(text: string): string {
  return `"${text}"`;
}

/** `a, b and c`. */
function listed(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** Renders waiting definitions by reason, in a few lines however many there are. */

import type { ReasonGroup } from '../../admin/admin.ts';
import { plural } from '../../base/plural.ts';
import { cutAtWord } from '../../base/text.ts';
import { visibleLine } from '../../base/visible.ts';
import { reasonInWords } from './render-changes.ts';
import type { Style } from './style.ts';

/** Reasons in one answer. */
const mostReasons = 20;
/** Definitions that are named of each. */
const mostNames = 3;
/** Characters that are shown of what was found in one of them. */
const exampleChars = 160;

/** At most two lines per reason, and one more. */
export function renderReasons(groups: readonly ReasonGroup[], style: Style): string {
  const shown = groups.slice(0, mostReasons).map((group) => renderReason(group, style));
  const rest = groups.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${plural(rest, 'more reason')}`] : [])].join('\n');
}

/** How many and why, and one of them with what was found in it. */
export function renderReason({ words, isWaiting, keys, example }: ReasonGroup, style: Style): string {
  const mark = isWaiting ? style.bad('!') : style.notice('?');
  const found = cutAtWord(reasonInWords(example).replaceAll('\n', ' '), exampleChars);
  return [
    `${mark} ${style.strong(String(keys.length))}: ${words} (${someNames(keys)})`,
    style.faint(`    ${visibleLine(example.key)}: ${found}`),
  ].join('\n');
}

/** `files:read, files:write, files:list and 7 more`. */
export function someNames(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(visibleLine).join(', ');
  const rest = names.length - mostNames;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** A text and what it was before: lines and sentences that differ, with the changed words marked. */

import { createElement as h, type ReactElement } from 'react';
import { compareTexts, isSameRow, shortenSame, type TextPart } from '../../../base/compare-texts.ts';
import { plural } from '../../../base/plural.ts';
import { signed, stack } from './layout.ts';
import { SayParts, say, type TextTone } from './text.ts';

/** null: there was none, or there is none any more; the other one is then shown alone. */
export function textDiff(before: string | null, after: string | null): ReactElement {
  if (before === null || after === null) {
    const [sign, tone] = after === null ? removed : added;
    return stack(...linesOf(before ?? after ?? '').map((text) => side([{ text, isChanged: false }], sign, tone)));
  }
  const rows = shortenSame(compareTexts(linesOf(before).join('\n'), linesOf(after).join('\n')));
  return stack(
    ...rows.flatMap((row) => {
      if (typeof row === 'number') return [say(`  (${plural(row, 'line')} the same)`, 'faint')];
      if (isSameRow(row)) return [side(row.after ?? [], ' ', 'faint')];
      return [...(row.before ? [side(row.before, ...removed)] : []), ...(row.after ? [side(row.after, ...added)] : [])];
    }),
  );
}

const removed = ['-', 'bad'] as const;
const added = ['+', 'good'] as const;

/** Changed words stand out by weight, also where there are no colours. */
function side(parts: readonly TextPart[], sign: string, tone: TextTone): ReactElement {
  const isAll = parts.every(({ isChanged }) => isChanged);
  const shown = parts.map(({ text, isChanged }) => ({ text, tone: isChanged && !isAll ? ('chosen' as const) : tone }));
  return signed(sign, h(SayParts, { parts: shown }), tone);
}

/** JSON is told in one line; in several it can be read. A paragraph is compared sentence by sentence. */
function linesOf(text: string): readonly string[] {
  if (/^[[{]/.test(text))
    try {
      return JSON.stringify(JSON.parse(text), null, 2).split('\n');
    } catch {
      // It only looked like JSON.
    }
  return text.split(/\n|(?<=[.!?]) +(?=\p{Lu})/u);
}

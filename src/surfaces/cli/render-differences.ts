/** Renders the differences between two definitions for people: whole, or as much as fits between others. */

import type { DefinitionChange } from '../../admin/admin.ts';
import { plural } from '../../base/plural.ts';
import { visible, visibleLine } from '../../base/visible.ts';
import { placeInWords } from '../wording/wording.ts';
import type { Style } from './style.ts';

type Difference = DefinitionChange['differences'][number];

/** How much of a definition is printed. */
export interface PrintLimits {
  /** Lines of one text. */
  readonly lines: number;
  /** Places that differ. */
  readonly places: number;
}

export const noLimits: PrintLimits = { lines: Number.POSITIVE_INFINITY, places: Number.POSITIVE_INFINITY };
/** Where many definitions are read one after the other. */
export const shortLimits: PrintLimits = { lines: 6, places: 8 };

export interface Printed {
  readonly lines: readonly string[];
  /** True if nothing was left out. */
  readonly isWhole: boolean;
}

export function renderDifferences(differences: readonly Difference[], limits: PrintLimits, style: Style): Printed {
  const parts = differences.slice(0, limits.places).map((difference) => renderDifference(difference, limits, style));
  const others = differences.length - parts.length;
  return {
    lines: [
      ...parts.flatMap(({ lines }) => lines),
      ...(others > 0 ? [style.faint(`  … and ${plural(others, 'more place')}`)] : []),
    ],
    isWhole: others === 0 && parts.every(({ isWhole }) => isWhole),
  };
}

/** Longer texts are shown by the sentences that differ. */
const wholeChars = 240;

function renderDifference({ where, change, before, after }: Difference, limits: PrintLimits, style: Style): Printed {
  const verb = change === 'changed' ? '' : ` ${change}`;
  const [old, now] = shortened(before, after);
  const was = marked('-', old, limits, style.bad);
  const is = marked('+', now, limits, style.good);
  return {
    lines: [`  ${visibleLine(placeInWords(where))}${verb}:`, ...was.lines, ...is.lines],
    isWhole: was.isWhole && is.isWhole,
  };
}

function marked(mark: string, texts: readonly string[], limits: PrintLimits, paint: (text: string) => string): Printed {
  const all = texts.flatMap((text) => linesOf(text));
  const shown = all.slice(0, limits.lines);
  const rest = all.length - shown.length;
  return {
    lines: [
      ...shown.map((line) => paint(`    ${mark} ${line}`)),
      ...(rest > 0 ? [`      … ${plural(rest, 'more line')}`] : []),
    ],
    isWhole: rest === 0,
  };
}

function linesOf(text: string): string[] {
  return visible(text)
    .split('\n')
    .flatMap((line) => wrapText(line, wholeChars));
}

function shortened(before: string | null, after: string | null): [string[], string[]] {
  if (before === null || after === null || before.length + after.length <= 2 * wholeChars)
    return [before === null ? [] : [before], after === null ? [] : [after]];
  const [old, now] = [sentencesOf(before), sentencesOf(after)];
  const [gone, added] = [old.filter((item) => !now.includes(item)), now.filter((item) => !old.includes(item))];
  // Where only the order or the spacing differs, nothing less than all shows it.
  return gone.length + added.length === 0 ? [[before], [after]] : [gone, added];
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?;])\s+|\n+/).filter((item) => item.trim() !== '');
}

function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > width / 2 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

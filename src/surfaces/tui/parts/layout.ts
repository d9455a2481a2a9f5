/** How things stand on the screen: under each other, beside each other, in columns. */

import { Box } from 'ink';
import { createElement as h, type ReactElement, type ReactNode } from 'react';
import { Say, say, type TextTone } from './text.ts';

export function stack(...rows: readonly ReactNode[]): ReactElement {
  return h(Box, { flexDirection: 'column' }, ...rows);
}

/** Parts of one line, with a space between them. */
export function inLine(...parts: readonly ReactNode[]): ReactElement {
  return h(Box, { height: 1, overflow: 'hidden', columnGap: 1 }, ...parts);
}

/** A part of a line that is whole also where the others are cut. */
export function uncut(part: ReactNode): ReactElement {
  return h(Box, { flexShrink: 0 }, part);
}

/** A text that flows over as many lines as it needs, at most so many. */
export function paragraph(text: string, lines?: number, tone?: TextTone): ReactElement {
  const limit = lines === undefined ? {} : ({ maxHeight: lines, overflow: 'hidden' } as const);
  return h(Box, limit, h(Say, { text, tone, isProse: true }));
}

/** A sign, and beside it a text that flows. */
export function signed(sign: string, text: ReactNode, tone?: TextTone): ReactElement {
  return h(Box, {}, h(Box, { width: 2, flexShrink: 0 }, say(sign, tone)), h(Box, { flexGrow: 1, width: 0 }, text));
}

/** Something below the value of a field, so many columns to the right. */
export function indented(columns: number, part: ReactNode): ReactElement {
  return h(Box, { paddingLeft: columns }, part);
}

export interface Cell {
  readonly text: string;
  readonly tone?: TextTone | undefined;
  /** In columns of the terminal; the one cell without it takes the rest. */
  readonly width?: number;
  readonly isNumber?: boolean;
}

/** One row of a table. */
export function cells(all: readonly Cell[], isSelected?: boolean): ReactElement {
  const mark =
    isSelected === undefined
      ? []
      : [h(Box, { key: 'mark', width: 2, flexShrink: 0 }, say(isSelected ? '› ' : '  ', 'strong'))];
  const shown = all.map(({ text, tone, width, isNumber = false }, at) =>
    h(
      Box,
      {
        key: at,
        ...(width === undefined ? { flexGrow: 1, flexShrink: 1, width: 0 } : { width, flexShrink: 0 }),
        marginRight: at === all.length - 1 ? 0 : 1,
        justifyContent: isNumber ? 'flex-end' : 'flex-start',
        overflow: 'hidden',
      },
      say(text, isSelected && tone === undefined ? 'strong' : tone),
    ),
  );
  return h(Box, { height: 1, overflow: 'hidden' }, ...mark, ...shown);
}

/** Names and values under each other; a name of its own for each. A value takes at most so many lines. */
export function facts(
  rows: readonly (readonly [name: string, value: string, tone?: TextTone | undefined])[],
  lines = 1,
): ReactElement {
  const width = Math.max(0, ...rows.map(([name]) => name.length)) + 1;
  return stack(
    ...rows.map(([name, value, tone]) =>
      h(
        Box,
        { key: name },
        h(Box, { width, flexShrink: 0, marginRight: 1 }, say(name, 'faint')),
        h(Box, { flexGrow: 1, width: 0 }, lines === 1 ? say(value, tone) : paragraph(value, lines, tone)),
      ),
    ),
  );
}

/** A line with nothing on it. */
export function gap(key: string): ReactElement {
  return h(Box, { key, height: 1 });
}

/** A bar of so many columns, `share` of it full. */
export function bar(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

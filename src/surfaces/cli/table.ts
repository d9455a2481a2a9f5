/** Aligned columns. Cells are cleaned here, so that whatever a server said can stand in one: none can forge a row or pass for another name. */

import { cutAtWord, printable } from '../../base/text.ts';
import { visibleLine } from '../../base/visible.ts';
import type { Style } from './style.ts';

export interface Column<R> {
  readonly title: string;
  cell(row: R): string;
  /** Colours the cell after it was measured. */
  paint?(text: string, row: R): string;
  readonly isNumber?: boolean;
  /** Sentences lose what cannot be seen and flow over line breaks; in names, all of that is written as escapes. */
  readonly isProse?: boolean;
}

export interface TableOptions {
  readonly style: Style;
  /** Lines are cut at this width; without it they are as long as they need to be. */
  readonly width?: number | undefined;
}

const gap = '  ';
const leastLastColumn = 20;

/** The rows under the titles of those columns that have something in them. */
export function table<R>(rows: readonly R[], columns: readonly Column<R>[], options: TableOptions): string {
  const cells = columns.map((column) =>
    rows.map((row) => (column.isProse ? printable : visibleLine)(column.cell(row))),
  );
  const used = columns.flatMap((column, at) => {
    const texts = cells[at] ?? [];
    return texts.some((text) => text !== '') ? [{ column, texts }] : [];
  });
  const widths = used.map(({ column, texts }) => Math.max(column.title.length, ...texts.map(widthOf)));
  const room = roomForLast(widths, options.width);
  const head = used.map(({ column }, at) => {
    const isOpen = at === used.length - 1 && !column.isNumber;
    return options.style.faint(isOpen ? column.title : pad(column.title, widths[at] ?? 0, column));
  });
  const lines = rows.map((row, index) =>
    used.map(({ column, texts }, at) => {
      const isLast = at === used.length - 1;
      const text = texts[index] ?? '';
      const fitted = isLast ? cutAtWord(text, room) : text;
      const padded = isLast && !column.isNumber ? fitted : pad(fitted, widths[at] ?? 0, column);
      return column.paint ? column.paint(padded, row) : padded;
    }),
  );
  return [head, ...lines].map((line) => line.join(gap).trimEnd()).join('\n');
}

function roomForLast(widths: readonly number[], width: number | undefined): number {
  if (width === undefined) return Number.POSITIVE_INFINITY;
  const before = widths.slice(0, -1).reduce((sum, item) => sum + item + gap.length, 0);
  return Math.max(leastLastColumn, width - before);
}

function pad<R>(text: string, width: number, column: Column<R>): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return column.isNumber ? space + text : text + space;
}

/** In code points, which is what most terminals show one cell each for. */
function widthOf(text: string): number {
  return Array.from(text).length;
}

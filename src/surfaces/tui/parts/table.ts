/** A table that is moved through by keys: columns are declared once, for the head and for every row. */

import type { ReactElement } from 'react';
import { type Cell, cells, stack } from './layout.ts';
import type { List } from './list.ts';
import type { TextTone } from './text.ts';

export interface TableColumn<T> {
  readonly title: string;
  /** In columns of the terminal; the one without it takes the rest. */
  readonly width?: number;
  readonly isNumber?: boolean;
  readonly cell: (item: T) => string;
  readonly tone?: (item: T) => TextTone | undefined;
}

/** Lines of the head. */
export const headRows = 1;

export function listTable<T>(list: List<T>, columns: readonly TableColumn<T>[]): ReactElement {
  const fixed = ({ width, isNumber }: TableColumn<T>): Pick<Cell, 'width' | 'isNumber'> => ({
    ...(width !== undefined && { width }),
    ...(isNumber !== undefined && { isNumber }),
  });
  return stack(
    cells(
      columns.map((column) => ({ ...fixed(column), text: column.title.toUpperCase(), tone: 'faint' })),
      false,
    ),
    list.show((item, isSelected) =>
      cells(
        columns.map((column) => ({ ...fixed(column), text: column.cell(item), tone: column.tone?.(item) })),
        isSelected,
      ),
    ),
  );
}

/** A table of any length: only the rows that can be seen are drawn. Arrow keys move, Enter opens. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface RowColumn<T> {
  readonly title: string;
  readonly show: (row: T) => ComponentChildren;
  /** Sorts by this when its title is clicked. */
  readonly order?: (row: T) => string | number;
  /** Left out on narrow screens. */
  readonly isExtra?: boolean;
  readonly isNumber?: boolean;
  /** Long text: takes the room that the others leave, and is cut there. */
  readonly isProse?: boolean;
}

interface RowsProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly RowColumn<T>[];
  readonly keyOf: (row: T) => string;
  /** Where a row leads, as an address within the page. */
  readonly linkOf?: (row: T) => string;
  readonly empty: ComponentChildren;
  /** Told where the reader is: pixels above and below the part that is seen. */
  readonly onPlace?: (above: number, below: number) => void;
}

const rowHeight = 40;
/** Rows drawn above and below those that can be seen. */
const margin = 10;
/** The most rows that are shown before the table scrolls by itself. */
const mostVisible = 15;

export function Rows<T>({ label, rows, columns, keyOf, linkOf, empty, onPlace }: RowsProps<T>) {
  const [order, setOrder] = useState<{ readonly column: number; readonly isUp: boolean } | undefined>();
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(mostVisible * rowHeight);
  useEffect(() => {
    const seen = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? height));
    const own = frame.current;
    if (own) seen.observe(own);
    own?.addEventListener('keydown', moveByKeys);
    return () => {
      seen.disconnect();
      own?.removeEventListener('keydown', moveByKeys);
    };
  }, [height]);
  if (rows.length === 0) return <>{empty}</>;
  const sorted = inOrder(rows, columns, order);
  const first = Math.max(0, Math.floor(top / rowHeight) - margin);
  const last = Math.min(sorted.length, Math.ceil((top + height) / rowHeight) + margin);
  return (
    <div
      class="rows"
      ref={frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        setTop(scrollTop);
        onPlace?.(scrollTop, scrollHeight - clientHeight - scrollTop);
      }}
    >
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <Head
                key={column.title}
                column={column}
                direction={order?.column !== at ? undefined : order.isUp ? 'ascending' : 'descending'}
                onSort={() => setOrder({ column: at, isUp: order?.column === at ? !order.isUp : !column.isNumber })}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Space count={first} columns={columns.length} />
          {sorted.slice(first, last).map((row, at) => (
            <tr key={keyOf(row)} aria-rowindex={first + at + 2}>
              {columns.map((column, index) => (
                <td key={column.title} class={classOf(column)}>
                  {index === 0 && linkOf ? <a href={linkOf(row)}>{column.show(row)}</a> : column.show(row)}
                </td>
              ))}
            </tr>
          ))}
          <Space count={sorted.length - last} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps<T> {
  readonly column: RowColumn<T>;
  readonly direction: 'ascending' | 'descending' | undefined;
  readonly onSort: () => void;
}

function Head<T>({ column, direction, onSort }: HeadProps<T>) {
  if (!column.order) return <th class={classOf(column)}>{column.title}</th>;
  return (
    <th class={classOf(column)} aria-sort={direction ?? 'none'}>
      <button type="button" class="plain" onClick={onSort}>
        {column.title}
        <span aria-hidden="true">{direction === undefined ? '' : direction === 'ascending' ? ' ↑' : ' ↓'}</span>
      </button>
    </th>
  );
}

/** Stands for rows that are not drawn. */
function Space({ count, columns }: { readonly count: number; readonly columns: number }) {
  if (count <= 0) return null;
  return (
    <tr>
      <td colSpan={columns} class="space" ref={(cell) => cell?.style.setProperty('height', `${count * rowHeight}px`)} />
    </tr>
  );
}

function classOf({ isExtra, isNumber, isProse }: Pick<RowColumn<never>, 'isExtra' | 'isNumber' | 'isProse'>): string {
  return `${isExtra ? 'extra ' : ''}${isNumber ? 'number ' : ''}${isProse ? 'prose' : ''}`;
}

function inOrder<T>(
  rows: readonly T[],
  columns: readonly RowColumn<T>[],
  order: { readonly column: number; readonly isUp: boolean } | undefined,
): readonly T[] {
  const by = order && columns[order.column]?.order;
  if (!by) return rows;
  const sign = order.isUp ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [one, other] = [by(a), by(b)];
    return one === other ? 0 : one < other ? -sign : sign;
  });
}

/** From link to link. */
function moveByKeys(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const frame = event.currentTarget as HTMLElement;
  const links = [...frame.querySelectorAll<HTMLElement>('tbody a')];
  if (step === 0 || links.length === 0) return;
  const now = links.indexOf(document.activeElement as HTMLElement);
  links[Math.min(links.length - 1, Math.max(0, now + step))]?.focus();
  event.preventDefault();
}

/** A table of any length: only the rows that can be seen are drawn. Arrow keys move, Enter opens. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Fetched } from '../state.ts';
import { WhenFetched } from './basic.tsx';

export interface RowColumn<T> {
  readonly title: string;
  readonly show: (row: T) => ComponentChildren;
  /** Sorts by this when its title is clicked. */
  readonly order?: (row: T) => string | number;
  /** Left out on narrow screens. */
  readonly isExtra?: boolean;
  /** A second line in its cell on narrow screens, for what is left out there; rows are taller then. */
  readonly below?: (row: T) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Long text: takes the room that the others leave, and is cut there. */
  readonly isProse?: boolean;
}

/** A column of numbers, which sorts by them. */
export function numberColumn<T, V extends number | null>(
  title: string,
  numberIn: (row: T) => V,
  format: (value: V) => string,
  others: Pick<RowColumn<T>, 'isExtra'> = {},
): RowColumn<T> {
  return {
    title,
    show: (row) => format(numberIn(row)),
    order: (row) => numberIn(row) ?? -1,
    isNumber: true,
    ...others,
  };
}

/** For a column that is left out on narrow screens. */
export const extra = { isExtra: true } as const;

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

/** In pixels, as in the style sheet. */
const usualHeight = 40;
const tallHeight = 60;
/** Rows drawn above and below those that can be seen. */
const margin = 10;
/** The most rows that are shown before the table scrolls by itself. */
const mostVisible = 15;

interface RowOrder {
  readonly column: number;
  readonly isUp: boolean;
}

export function Rows<T>(props: RowsProps<T>) {
  const [order, setOrder] = useState<RowOrder | undefined>();
  if (props.rows.length === 0) return <>{props.empty}</>;
  return <FilledRows {...props} order={order} setOrder={setOrder} />;
}

interface FetchedRowsProps<T> extends Omit<RowsProps<T>, 'rows'> {
  readonly answer: Fetched<readonly T[]>;
}

/** The rows of an answer, once it is there. */
export function FetchedRows<T>({ answer, ...table }: FetchedRowsProps<T>) {
  return <WhenFetched answer={answer}>{(rows) => <Rows {...table} rows={rows} />}</WhenFetched>;
}

interface FilledRowsProps<T> extends RowsProps<T> {
  readonly order: RowOrder | undefined;
  readonly setOrder: (order: RowOrder) => void;
}

/** Exists only with rows: its place and its listeners belong to the frame that is on the page. */
function FilledRows<T>({ label, rows, columns, keyOf, linkOf, onPlace, order, setOrder }: FilledRowsProps<T>) {
  const frame = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const isTall = isNarrow && columns.some(({ below }) => below !== undefined);
  const rowHeight = isTall ? tallHeight : usualHeight;
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(mostVisible * usualHeight);
  useLayoutEffect(() => {
    const seen = new ResizeObserver(([entry]) => setHeight((before) => entry?.contentRect.height ?? before));
    const own = frame.current;
    if (own) seen.observe(own);
    own?.addEventListener('keydown', moveByKeys);
    return () => {
      seen.disconnect();
      own?.removeEventListener('keydown', moveByKeys);
    };
  }, []);
  const sorted = inOrder(rows, columns, order);
  const first = Math.max(0, Math.floor(top / rowHeight) - margin);
  const last = Math.min(sorted.length, Math.ceil((top + height) / rowHeight) + margin);
  return (
    <div
      class={isTall ? 'box rows tall' : 'box rows'}
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
          <Space height={first * rowHeight} columns={columns.length} />
          {sorted.slice(first, last).map((row, at) => (
            <tr key={keyOf(row)} aria-rowindex={first + at + 2}>
              {columns.map((column, index) => (
                <td key={column.title} class={classOf(column)}>
                  {index === 0 && linkOf ? <a href={linkOf(row)}>{column.show(row)}</a> : column.show(row)}
                  {isTall && column.below && <small class="below">{column.below(row)}</small>}
                </td>
              ))}
            </tr>
          ))}
          <Space height={(sorted.length - last) * rowHeight} columns={columns.length} />
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

/** As in the style sheet. */
const narrowScreen = '(max-width: 720px)';

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrowScreen).matches);
  useLayoutEffect(() => {
    const screen = matchMedia(narrowScreen);
    const onChange = () => setNarrow(screen.matches);
    screen.addEventListener('change', onChange);
    return () => screen.removeEventListener('change', onChange);
  }, []);
  return isNarrow;
}

/** Stands for rows that are not drawn. */
function Space({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      <td colSpan={columns} class="space" ref={(cell) => cell?.style.setProperty('height', `${height}px`)} />
    </tr>
  );
}

function classOf({ isExtra, isNumber, isProse }: Pick<RowColumn<never>, 'isExtra' | 'isNumber' | 'isProse'>): string {
  return `${isExtra ? 'extra ' : ''}${isNumber ? 'number ' : ''}${isProse ? 'prose' : ''}`;
}

function inOrder<T>(rows: readonly T[], columns: readonly RowColumn<T>[], order: RowOrder | undefined): readonly T[] {
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
  // A choice has its own use for these keys.
  if ((event.target as HTMLElement).closest('select, input')) return;
  const frame = event.currentTarget as HTMLElement;
  const links = [...frame.querySelectorAll<HTMLElement>('tbody a')];
  if (step === 0 || links.length === 0) return;
  const now = links.indexOf(document.activeElement as HTMLElement);
  links[Math.min(links.length - 1, Math.max(0, now + step))]?.focus();
  event.preventDefault();
}

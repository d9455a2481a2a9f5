/** A list that is moved through by keys, and scrolls. */

import { Fragment, createElement as h, type ReactElement, type ReactNode } from 'react';
import type { KeyCommand } from '../screen.ts';
import { type TuiState, useRemembered } from '../state.ts';
import { stack } from './layout.ts';
import { say } from './text.ts';

export interface ListOptions<T> {
  /** Under which the choice is remembered. */
  readonly name: string;
  readonly items: readonly T[];
  readonly idOf: (item: T) => string;
  /** Lines that it may take. */
  readonly rows: number;
  /** On the first line the choice is whatever comes to be first; left out, it stays with the item. */
  readonly followsFirst?: boolean;
}

export interface List<T> {
  readonly selected: T | undefined;
  readonly commands: readonly KeyCommand[];
  /** The lines that fit; below them, how many more there are. */
  readonly show: (row: (item: T, isSelected: boolean) => ReactNode) => ReactElement;
}

interface Choice {
  readonly id: string | undefined;
  readonly at: number;
}

export function useList<T>({ name, items, idOf, rows, followsFirst = false }: ListOptions<T>): List<T> {
  const [choice, choose] = useRemembered<Choice>(`list ${name}`, { id: undefined, at: 0 });
  const last = items.length - 1;
  const position = ({ id, at }: Choice) => {
    // The item may have moved since it was chosen; one that is gone leaves its place to the next.
    const found = id === undefined ? -1 : items.findIndex((item) => idOf(item) === id);
    return found >= 0 ? found : Math.max(0, Math.min(at, last));
  };
  const at = position(choice);
  const move = (to: (from: number) => number) =>
    choose((from) => {
      const next = Math.max(0, Math.min(to(position(from)), last));
      const item = items[next];
      const isLoose = item === undefined || (followsFirst && next === 0);
      return { id: isLoose ? undefined : idOf(item), at: next };
    });
  const [first, count] = windowOf(at, items.length, rows);
  const page = Math.max(1, count - 1);
  return {
    selected: items[at],
    commands: movement(move, page, last),
    show: (row) =>
      stack(
        // By position, not by id: lines hold no state, and to change the words of one is cheaper than to make a new one.
        ...items
          .slice(first, first + count)
          .map((item, index) => h(Fragment, { key: index }, row(item, first + index === at))),
        count < items.length ? say(`  ${first + 1}–${first + count} of ${items.length}`, 'faint') : null,
      ),
  };
}

/** Chooses an item of a list that is shown later. */
export function chooseLater(memory: TuiState['memory'], name: string, id: string): void {
  memory.set(`list ${name}`, { id, at: 0 } satisfies Choice);
}

/** The first item that is shown, and how many are: whole pages, so that a list does not crawl under the eyes. */
function windowOf(at: number, length: number, rows: number): readonly [first: number, count: number] {
  if (length <= rows) return [0, length];
  const count = Math.max(1, rows - 1);
  const first = Math.floor(at / count) * count;
  return [Math.min(first, length - count), count];
}

/** The keys of everything that is moved through; `page` and `last` in steps. */
export function movement(
  move: (to: (from: number) => number) => void,
  page: number,
  last: number,
): readonly KeyCommand[] {
  const steps: readonly (readonly [keys: readonly string[], label: string, to: (from: number) => number])[] = [
    [['up', 'k'], 'Up', (from) => from - 1],
    [['down', 'j'], 'Down', (from) => from + 1],
    [['pageup'], 'Page up', (from) => from - page],
    [['pagedown'], 'Page down', (from) => from + page],
    [['home', 'g'], 'First', () => 0],
    [['end', 'G'], 'Last', () => last],
  ];
  return steps.flatMap(([keys, label, to]) => keys.map((key) => ({ key, label, run: () => move(to), isQuiet: true })));
}

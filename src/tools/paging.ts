/** Pages of a list: a cursor says after which item the next page begins, so that it holds when others come and go. */

import { RpcError, rpcCodes } from '../protocol/messages.ts';

/** Where an item stands: lists are ordered by the first text, then by the second. */
export type ListPosition = readonly [group: string, name: string];

export interface Positioned {
  readonly position: ListPosition;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** `list` is the name of the list: the cursor of another one is refused. The items are in the order of their positions. */
export function pageOfList<T extends Positioned>(
  list: string,
  items: readonly T[],
  cursor: unknown,
  size: number,
): Page<T> {
  const after = isAbsent(cursor) ? undefined : readCursor(list, cursor);
  const rest = after === undefined ? items : items.filter(({ position }) => compare(position, after) > 0);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return rest.length <= size || !last ? { items: page } : { items: page, nextCursor: cursorAfter(list, last.position) };
}

/** For a list that is one page: nobody can have been given a cursor. */
export function refuseCursor({ cursor }: { readonly cursor?: unknown }): void {
  if (!isAbsent(cursor)) throw badCursor();
}

/** Some agents write that they have none. */
function isAbsent(cursor: unknown): boolean {
  return cursor === undefined || cursor === null;
}

export function cursorAfter(list: string, position: ListPosition): string {
  return Buffer.from(JSON.stringify([list, ...position])).toString('base64url');
}

/** Throws the protocol's error for what we did not write. */
function readCursor(list: string, cursor: unknown): ListPosition {
  if (typeof cursor !== 'string') throw badCursor();
  const [name, group, item] = parse(Buffer.from(cursor, 'base64url'));
  if (name !== list || typeof group !== 'string' || typeof item !== 'string') throw badCursor();
  // Decoding overlooks what is no base64, so that only what it was made from tells.
  if (cursorAfter(list, [group, item]) !== cursor) throw badCursor();
  return [group, item];
}

function badCursor(): RpcError {
  return new RpcError(
    rpcCodes.invalidParams,
    'The cursor is not valid for this list. Leave it out to start from the beginning.',
  );
}

function parse(bytes: Buffer): unknown[] {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function compare(a: ListPosition, b: ListPosition): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  return a[1] === b[1] ? 0 : a[1] < b[1] ? -1 : 1;
}

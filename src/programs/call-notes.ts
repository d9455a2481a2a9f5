/** What has to be said of a program's calls beside the list of them; every number here is one of that list. */

import type { CallRow } from './call-ledger.ts';

export interface CallFacts {
  readonly rows: readonly CallRow[];
  /** Whether the program came to its result without waiting for some. */
  readonly hasUnawaited: boolean;
  /** Calls that it asked for and that were never made. */
  readonly unsent: number;
}

const unawaited =
  'Not every call was awaited: the answer waited for them, and the list says how they ended. Write await before every call.';

export function callNotes({ rows, hasUnawaited, unsent }: CallFacts): string[] {
  const givenUp = countOf(rows, isGivenUp);
  return [
    ...(hasUnawaited ? [unawaited] : []),
    ...(givenUp === 0
      ? []
      : [
          `${calls(givenUp, 'was', 'were')} given up on the way (CANCELLED) and may have had ${givenUp === 1 ? 'its' : 'their'} effect.`,
        ]),
    ...(unsent === 0
      ? []
      : [`${calls(unsent, 'was', 'were')} never made, and ${unsent === 1 ? 'is' : 'are'} not in the list.`]),
  ];
}

/** A call that was under way when nobody waited for it any more. */
export function isGivenUp({ error }: CallRow): boolean {
  return error === 'CANCELLED';
}

function countOf(rows: readonly CallRow[], isMeant: (row: CallRow) => boolean): number {
  return rows.filter(isMeant).reduce((sum, { count = 1 }) => sum + count, 0);
}

function calls(count: number, one: string, several: string): string {
  return count === 1 ? `One call ${one}` : `${count} calls ${several}`;
}

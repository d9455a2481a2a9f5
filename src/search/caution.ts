/** Tools that must not come first by chance: those that destroy, where nothing of the kind was asked for, and those that are given up. */

import type { SearchDocument } from './document.ts';
import { stemOf, tokensOf } from './words.ts';

/** Taken off a score between 0 and 1: enough to decide between near equals, too little to hide a far better fit. */
const malus = { destroys: 0.15, isGivenUp: 0.1 };

/** Words for taking away what is there. A model of meaning holds them for near relatives of their opposites. */
const destroying: ReadonlySet<string> = new Set(
  [
    'delete remove erase drop purge destroy wipe clear truncate rm del discard unlink uninstall',
    'cancel dismiss revoke terminate kill abort logout signout unsubscribe deactivate disable',
  ]
    .join(' ')
    .split(' ')
    .map(stemOf),
);
/** Other ways to ask for it, which name no tool. */
const asking: ReadonlySet<string> = new Set(
  'rid forget trash throw dump scrap undo stop end close shut off away longer anymore never unused'
    .split(' ')
    .map(stemOf),
);

const givenUp = /^\W*(?:deprecated|obsolete)\b|\bdeprecated: use\b/i;

export interface Caution {
  /** By its name: the first or the last word of it says what is done. */
  readonly destroys: boolean;
  readonly isGivenUp: boolean;
}

export function cautionOf({ name, description }: SearchDocument): Caution {
  const words = wordsIn(name);
  const last = words.at(-1) ?? '';
  // `note_delete` deletes, `list_deleted` does not.
  const destroys = destroying.has(stemOf(words[0] ?? '')) || (destroying.has(stemOf(last)) && !last.endsWith('ed'));
  return { destroys, isGivenUp: givenUp.test(description) };
}

/** True for a query that asks to remove something. */
export function asksToDestroy(query: string): boolean {
  return wordsIn(query)
    .map(stemOf)
    .some((stem) => destroying.has(stem) || asking.has(stem));
}

/** The malus on the score of a tool. */
export function malusOf({ destroys, isGivenUp }: Caution, isAskedToDestroy: boolean): number {
  return (destroys && !isAskedToDestroy ? malus.destroys : 0) + (isGivenUp ? malus.isGivenUp : 0);
}

function wordsIn(text: string): string[] {
  return tokensOf(text).flatMap(({ parts }) => parts);
}

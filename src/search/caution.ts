/** Tools that must not come first by chance: those that destroy, write or read where something else was asked for, and those that are given up. */

import { type NamedEffect, namedEffectOf } from './alternatives/effect-of.ts';
import type { SearchDocument } from './document.ts';
import { stemOf, tokensOf } from './words.ts';

/** Taken off a score between 0 and 1: enough to decide between near equals, too little to hide a far better fit. */
const malus = { destroys: 0.15, otherWay: 0.1, isGivenUp: 0.1 };

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
  /** By its name: it adds or changes something. */
  readonly writes: boolean;
  /** By its name: it only looks at something. */
  readonly reads: boolean;
  readonly isGivenUp: boolean;
}

/** The deed that a query asks for, as far as its form tells. */
export interface Asked {
  readonly toDestroy: boolean;
  readonly toRead: boolean;
  readonly toWrite: boolean;
}

export function cautionOf({ name, description }: SearchDocument): Caution {
  const words = wordsIn(name);
  const last = words.at(-1) ?? '';
  // `note_delete` deletes, `list_deleted` does not.
  const destroys = destroying.has(stemOf(words[0] ?? '')) || (destroying.has(stemOf(last)) && !last.endsWith('ed'));
  const effect = namedEffectOf(name);
  return {
    destroys,
    writes: writesByName(effect),
    reads: effect?.most === 'reads',
    isGivenUp: givenUp.test(description),
  };
}

const polite = /^(?:please|can you|could you|i want to|i need to) /i;
/** Words that a question begins with, and words for looking at something. "Have the invoice paid" is no question. */
const reading =
  /^(?:what|which|who|whose|when|where|why|how|is|are|was|were|am|does|did|has|(?:do|have) (?:i|we|you|they|any)|show|list|find|read|search|view|display|see|tell me|get)\b/i;

/** `meant`: the query in the words of tools. A question that holds a verb for writing ("how do I create …") does not ask to read. */
export function askedBy(query: string, meant = query): Asked {
  const plain = meant.trim().replace(polite, '');
  const words = wordsIn(plain);
  const toDestroy = words.map(stemOf).some((stem) => destroying.has(stem) || asking.has(stem));
  const toRead =
    [query.trim().replace(polite, ''), plain].some((form) => reading.test(form)) &&
    !toDestroy &&
    !words.some(isWriting);
  return { toDestroy, toRead, toWrite: isWriting(words[0] ?? '') };
}

function isWriting(word: string): boolean {
  return writesByName(namedEffectOf(word));
}

function writesByName(effect: NamedEffect | null): boolean {
  return effect !== null && effect.least !== 'reads';
}

/** The malus on the score of a tool. */
export function malusOf({ destroys, writes, reads, isGivenUp }: Caution, asked: Asked): number {
  const goesOtherWay = (writes && asked.toRead) || (reads && asked.toWrite);
  const forDeed = destroys && !asked.toDestroy ? malus.destroys : goesOtherWay ? malus.otherWay : 0;
  return forDeed + (isGivenUp ? malus.isGivenUp : 0);
}

function wordsIn(text: string): string[] {
  return tokensOf(text).flatMap(({ parts }) => parts);
}

/** Judges many sightings at once: pure data in and out, so that it can be done in another thread. */

import type { StoredPin } from '../store/store.ts';
import type { Neighbours } from './judgement.ts';
import { nextPin } from './next-pin.ts';
import type { PinStep, Sighting } from './sighting.ts';

/** Something that a server offers now, and what was decided about it before. */
export interface Case {
  readonly pin: StoredPin | undefined;
  readonly seen: Sighting;
}

export interface JudgeOrder {
  readonly cases: readonly Case[];
  readonly neighbours: Neighbours;
  /** Which tool of the server was approved with which description, to notice when two of them change places. */
  readonly described: ReadonlyMap<string, string>;
  /** Whether nothing is taken at first sight. */
  readonly approvesNew: boolean;
  /** Whether the server has offered so many different things that not all of them are remembered. */
  readonly isCrowded: boolean;
  readonly now: number;
}

/** What becomes of each case, in their order. */
export type Judge = (order: JudgeOrder) => Promise<readonly PinStep[]>;

export function judgeCases({ cases, ...around }: JudgeOrder): PinStep[] {
  return cases.flatMap(({ pin, seen }) => nextPin(pin, seen, around) ?? []);
}

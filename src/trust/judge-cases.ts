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
  /** How many cases of the same listing are not judged yet, these included. */
  readonly left: number;
  readonly neighbours: Neighbours;
  /** Which tool of the server was approved with which description, to notice when two of them change places. */
  readonly described: ReadonlyMap<string, string>;
  /** True if new things wait for approval. */
  readonly approvesNew: boolean;
  /** True if the server has offered too many things to remember them all. */
  readonly isCrowded: boolean;
  readonly now: number;
}

/** Judges each case, in order. */
export type Judge = (order: JudgeOrder) => Promise<readonly PinStep[]>;

export function judgeCases({ cases, ...around }: Omit<JudgeOrder, 'left'>): PinStep[] {
  return cases.flatMap(({ pin, seen }) => nextPin(pin, seen, around) ?? []);
}

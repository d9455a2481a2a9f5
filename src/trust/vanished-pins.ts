/** The memory of things that a server no longer offers: bounded, whatever names it makes up. */

import type { JsonObject } from '../base/json.ts';
import { limits } from '../config/config.ts';
import type { PinnedWording, StoredPin } from '../store/store.ts';
import { faded } from './sighting.ts';

export interface Thinned {
  /** Those whose words are not kept any more. */
  readonly faded: readonly StoredPin[];
  /** Those that are not remembered at all any more. */
  readonly removed: readonly StoredPin[];
}

/** True if memory is full: a new name may be a forgotten one, so it is not taken by itself. */
export function isCrowded(vanished: readonly StoredPin[]): boolean {
  return vanished.length >= limits.vanishedPins;
}

export function thinOut(vanished: readonly StoredPin[]): Thinned {
  const kept = vanished.length > limits.vanishedPins ? vanished.toSorted(byWorth) : vanished;
  const removed = kept.slice(limits.vanishedPins);
  const spoken = kept.slice(0, limits.vanishedPins).filter(hasWords);
  if (spoken.length <= limits.vanishedWordings && charsOf(spoken) <= limits.vanishedChars)
    return { faded: [], removed };
  let chars = 0;
  const tooMany = spoken.toSorted(byWorth).filter((pin, at) => {
    chars += charsOf([pin]);
    return at >= limits.vanishedWordings || chars > limits.vanishedChars;
  });
  return { faded: tooMany.map(faded), removed };
}

function hasWords({ approved, pending }: StoredPin): boolean {
  return approved !== null || pending !== null;
}

/** First what somebody decided or was withheld, then the newest. */
function byWorth(a: StoredPin, b: StoredPin): number {
  return Number(isWeighty(b)) - Number(isWeighty(a)) || b.since - a.since;
}

function isWeighty({ state, decidedBy }: StoredPin): boolean {
  return decidedBy !== null || state !== 'approved';
}

function charsOf(pins: readonly StoredPin[]): number {
  const wordings = pins.flatMap(({ approved, pending, basis, undo }) => [
    ...[approved, pending, basis],
    ...(undo === null ? [] : [undo.approved, undo.pending, undo.basis]),
  ]);
  return wordings.reduce((sum, wording) => sum + lengthOf(wording), 0);
}

/** Definitions never change; each is measured once. */
const lengths = new WeakMap<JsonObject, number>();

function lengthOf(wording: PinnedWording | null): number {
  if (wording === null) return 0;
  const length = lengths.get(wording.definition) ?? JSON.stringify(wording.definition).length;
  lengths.set(wording.definition, length);
  return length;
}

/** One thing as a server offers it, and the events of its pin: what the pins need without judging. */

import { hash } from 'node:crypto';
import type { PinAct, PinEvent, PinKey, PinnedWording, StoredPin } from '../store/store.ts';
import { plain } from './added-text.ts';

/** One thing as a server offers it now. */
export interface Sighting extends PinKey {
  readonly source: string;
  readonly wording: PinnedWording;
}

/** The pin as it is from now on, and what is worth telling of it. */
export interface PinStep {
  readonly pin: StoredPin;
  readonly event?: PinEvent | undefined;
}

/** True if it was offered like this when last seen: there is nothing to judge. */
export function isAsBefore(pin: StoredPin | undefined, { wording }: Sighting): boolean {
  return pin !== undefined && wording.fingerprint === (pin.pending ?? pin.approved)?.fingerprint;
}

/** Descriptions that agree up to this length count as the same. */
const keyChars = 2_000;

/** The words of a description as a hash; empty where there are none. */
export function descriptionKey({ definition }: PinnedWording): string {
  const words = typeof definition.description === 'string' ? plain(definition.description.slice(0, keyChars)) : '';
  return words === '' ? '' : hash('sha256', words, 'base64');
}

/**
 * The rest of a pin that is long gone: enough to recognise it when it is back, and to hold it back if it is not as
 * approved.
 */
export function faded(pin: StoredPin): StoredPin {
  const fingerprint = pin.approved?.fingerprint ?? pin.faded;
  return { ...pin, approved: null, pending: null, basis: null, faded: fingerprint, reasons: [], undo: null };
}

/** `about`: what it was about, where that is neither approved nor pending any more. */
export function eventOf(
  pin: StoredPin,
  act: PinAct,
  at: number,
  about: PinnedWording | null = null,
  by: string | null = null,
): PinEvent {
  const { server, kind, name, grade, reasons } = pin;
  return {
    ...{ server, kind, name, act, at, grade, reasons, by },
    before: pin.approved?.fingerprint ?? null,
    after: (about ?? pin.pending ?? pin.approved)?.fingerprint ?? null,
  };
}

/** An owner's decision about a pin: its subject, its effect, and how to undo it. */

import type { PinBefore, StoredPin } from '../store/store.ts';
import type { Reason } from './judgement.ts';

/** The pin once somebody has decided about it. */
export function decided(pin: StoredPin, decision: 'approved' | 'rejected', now: number, by: string): StoredPin {
  const { state, approved, pending, basis, faded, grade, reasons, since, times, passes, refused } = pin;
  const { decidedBy, decidedAt } = pin;
  const before = { state, approved, pending, basis, faded, grade, reasons, since, times, passes, refused };
  const undo: PinBefore = { at: now, ...before, decidedBy, decidedAt };
  const who = { decidedBy: by, decidedAt: now, since: now, undo };
  if (decision === 'rejected') return { ...withdrawn(pin), ...who, state: 'rejected', refused: fingerprintIn(pin) };
  const calm = { state: 'approved', pending: null, refused: null, times: 0, grade: null, reasons: [] } as const;
  return { ...pin, ...who, ...calm, approved: pending ?? approved, basis: null, faded: null, passes: 0 };
}

/** A definition that passed with a mark waits again, compared with the one before it. */
function withdrawn(pin: StoredPin): StoredPin {
  return pin.pending === null ? { ...pin, approved: pin.basis, pending: pin.approved, basis: null } : pin;
}

/**
 * The pin once the decision is taken back. If the server offers something else by now, that waits: nobody has compared it with
 * what is approved again.
 */
export function undone(pin: StoredPin, { at: _at, ...before }: PinBefore): StoredPin {
  const restored: StoredPin = { ...pin, ...before, undo: null };
  const offered = pin.pending ?? pin.approved;
  if (offered === null || offered.fingerprint === fingerprintIn(restored)) return restored;
  if (offered.fingerprint === before.approved?.fingerprint)
    return { ...restored, pending: null, state: 'approved', grade: null, reasons: [] };
  const reasons = [...before.reasons, changedSince];
  return { ...restored, pending: offered, state: before.approved ? 'changed' : 'held', grade: 'risky', reasons };
}

const changedSince: Reason = {
  code: 'held-before',
  where: '',
  sentence: 'It changed again after it was accepted, and the acceptance was undone.',
};

/** True if the principal saw this wording. */
export function isShownTo(pin: StoredPin, principal: string): boolean {
  return pin.shown === fingerprintIn(pin) && pin.shownTo === principal;
}

/** True if a wording is pending, even a rejected one. */
export function isOpen(pin: StoredPin): boolean {
  return pin.pending !== null;
}

/** True if an approved pin is worth a look: the first scan found reasons, or a risky change passed with a mark. */
export function isWorthALook({ state, grade, reasons, decidedBy }: StoredPin): boolean {
  const isMarked = grade === null || grade === 'risky';
  return state === 'approved' && isMarked && reasons.length > 0 && decidedBy === null;
}

/** The fingerprint of what a decision is about. */
export function fingerprintIn({ pending, approved }: StoredPin): string {
  return (pending ?? approved)?.fingerprint ?? '';
}

/** The owner's setting for upgrades: which risky changes pass without a decision, marked or not. */

import type { UpgradePolicy } from '../config/config.ts';
import type { PinReason, StoredPin } from '../store/store.ts';
import type { ReasonCode } from './judgement.ts';
import { eventOf, type PinStep } from './sighting.ts';

/** A text for the model alone waits under every setting, and so does one that nobody could read to its end. */
const alwaysWaiting: ReadonlySet<string> = new Set<ReasonCode>(['instructions', 'hidden-text', 'encoded', 'too-long']);

/** True if a change that waits for these reasons passes under the setting. */
export function mayPass(reasons: readonly PinReason[], upgrades: UpgradePolicy): boolean {
  return upgrades !== 'hold' && !reasons.some(({ code }) => alwaysWaiting.has(code));
}

/**
 * The step of a change that was judged risky, under the setting. A marked one is compared with what was taken before it until
 * the owner has looked at it; an allowed one counts as looked at.
 */
export function letPass({ pin, event }: PinStep, upgrades: UpgradePolicy, now: number): PinStep {
  const { approved, pending, basis, grade, reasons } = pin;
  // After a rejection nothing passes by itself, whatever changes around it.
  if (pin.state !== 'changed' || pending === null || pin.refused !== null || !mayPass(reasons, upgrades))
    return { pin, event };
  const isMarked = upgrades === 'mark';
  const passed: StoredPin = {
    ...{ ...pin, state: 'approved', approved: pending, pending: null, passes: pin.passes + 1, since: now },
    ...{ basis: isMarked ? (basis ?? approved) : null, decidedBy: null, decidedAt: null },
    ...(isMarked ? {} : { grade: null, reasons: [] }),
  };
  const told = eventOf({ ...passed, grade, reasons }, isMarked ? 'marked' : 'passed', now);
  return { pin: passed, event: event && { ...told, before: approved?.fingerprint ?? null } };
}

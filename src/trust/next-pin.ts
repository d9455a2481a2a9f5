/** Gives a pin's next state when its server is listed: pure, one at a time. */

import type { PinAct, PinnedWording, StoredPin } from '../store/store.ts';
import { isWorthALook } from './decide-pin.ts';
import { judgeChange } from './judge-change.ts';
import type { Grade, Judgement, Neighbours, Reason } from './judgement.ts';
import { scanDefinition } from './scan/scan.ts';
import { descriptionKey, eventOf, isAsBefore, type PinStep, type Sighting } from './sighting.ts';

export interface Circumstances {
  readonly neighbours: Neighbours;
  /** Which tool of the server was approved with which description, to notice when two of them change places. */
  readonly described: ReadonlyMap<string, string>;
  /** True if new things wait for approval. */
  readonly approvesNew: boolean;
  /** True if the server has offered too many things to remember them all. */
  readonly isCrowded: boolean;
  readonly now: number;
}

/** After `singly` single reports, something that keeps changing is reported once per `ms`. */
const telling = { ms: 60_000, singly: 50 };
/** The same for changes without risk, which nobody has to decide about. */
const tellingPasses = { ms: 60 * 60_000, singly: 20 };

/** Undefined: nothing changes. `pin` is that of the same source; another server's says nothing about this one. */
export function nextPin(pin: StoredPin | undefined, seen: Sighting, around: Circumstances): PinStep | undefined {
  if (!pin) return atFirstSight(seen, around);
  const { fingerprint } = seen.wording;
  if (isAsBefore(pin, seen)) return undefined;
  if (pin.approved === null && fingerprint === pin.faded) return remembered(pin, seen, around);
  if (pin.approved === null) return stillHeld(pin, seen, around);
  if (fingerprint === pin.approved.fingerprint) return returned(pin, around);
  const judged = judgeAgainst(pin.approved, pin.basis, seen, around);
  const { grade, reasons } = judged.grade !== 'risky' && isSwapped(seen, around) ? swapped : judged;
  return grade === 'risky' ? changed(pin, seen, reasons, around) : passed(pin, seen, { grade, reasons }, around);
}

/** Also against what was taken with open eyes: what would be risky at once is so in small steps. */
function judgeAgainst(
  approved: PinnedWording,
  basis: PinnedWording | null,
  { wording }: Sighting,
  { neighbours }: Circumstances,
): Judgement {
  const judged = judgeChange(approved.definition, wording.definition, neighbours);
  if (judged.grade === 'risky' || basis === null || basis.fingerprint === wording.fingerprint) return judged;
  const inAll = judgeChange(basis.definition, wording.definition, neighbours);
  return inAll.grade === 'risky' ? inAll : judged;
}

const swapped: Judgement = {
  grade: 'risky',
  reasons: [
    { code: 'shadows', where: 'description', sentence: 'It has the description of another tool of this server now.' },
  ],
};

/** Agents would call the wrong tool. */
function isSwapped({ kind, name, wording }: Sighting, { described }: Circumstances): boolean {
  const owner = kind === 'tool' ? described.get(descriptionKey(wording)) : undefined;
  return owner !== undefined && owner !== name;
}

function atFirstSight(seen: Sighting, { neighbours, approvesNew, isCrowded, now }: Circumstances): PinStep {
  const { server, kind, name, source, wording } = seen;
  const found = scanDefinition(wording.definition, neighbours);
  const hard = found.filter(({ weight }) => weight === 'hard');
  const isHeld = approvesNew || isCrowded || hard.length > 0;
  const reasons = (hard.length > 0 ? hard : found).map(reasonOf);
  const fresh: StoredPin = {
    ...{ server, kind, name, source, since: now, times: 0 },
    ...{ state: 'approved', approved: wording, pending: null, grade: null, reasons },
    ...{ told: null, toldAt: null, refused: null, decidedBy: null, decidedAt: null },
    ...{ basis: null, faded: null, passes: 0, shown: null, shownTo: null, undo: null },
  };
  if (!isHeld) return { pin: fresh };
  const isNew: Reason = { code: 'unapproved', where: '', sentence: isCrowded ? crowded : 'It is new.' };
  const why = approvesNew || isCrowded ? [...reasons, isNew] : reasons;
  const told = { told: wording.fingerprint, toldAt: now };
  const held: StoredPin = {
    ...fresh,
    state: 'held',
    approved: null,
    pending: wording,
    grade: 'risky',
    reasons: why,
    ...told,
  };
  return { pin: held, event: eventOf(held, 'held', now) };
}

const crowded = 'It is new, and the server has offered more different things than are remembered.';

/** It is back after a long time, as approved. */
function remembered(pin: StoredPin, { wording }: Sighting, around: Circumstances): PinStep {
  const back: StoredPin = { ...pin, approved: wording, pending: null, faded: null, state: 'approved' };
  return { pin: { ...back, ...markOf(back, around) } };
}

/** The mark of an approved definition until the owner looks; going away and coming back keeps it. */
function markOf(
  { approved, basis, decidedBy }: StoredPin,
  { neighbours }: Circumstances,
): Pick<StoredPin, 'grade' | 'reasons'> {
  if (approved === null || decidedBy !== null) return { grade: null, reasons: [] };
  const judged = basis && judgeChange(basis.definition, approved.definition, neighbours);
  return judged?.grade === 'risky' ? judged : { grade: null, reasons: scanned(approved, neighbours) };
}

/** Once withheld, it is never taken by itself, whatever it becomes. */
function stillHeld(pin: StoredPin, { wording }: Sighting, { neighbours, now }: Circumstances): PinStep {
  const found = scanned(wording, neighbours);
  const sentence =
    pin.faded === null
      ? 'It was withheld before, with other words.'
      : 'It was gone for long and is back with other words; those that were approved are not kept any more.';
  const before: Reason = { code: 'held-before', where: '', sentence };
  const isRefused = wording.fingerprint === pin.refused;
  const held: StoredPin = {
    ...pin,
    state: isRefused ? 'rejected' : 'held',
    pending: wording,
    grade: 'risky',
    reasons: [...found, before],
    since: now,
    times: pin.times + 1,
  };
  return isRefused ? { pin: held } : toldStep(held, 'held', now);
}

function returned(pin: StoredPin, around: Circumstances): PinStep {
  const { now } = around;
  const calm: StoredPin = { ...pin, state: 'approved', pending: null, ...markOf(pin, around), since: now };
  // If it goes to and fro, report only the first return.
  return pin.times > 1 ? { pin: calm } : { pin: calm, event: eventOf(calm, 'returned', now, pin.pending) };
}

function passed(
  pin: StoredPin,
  { wording }: Sighting,
  { grade, reasons }: { readonly grade: Grade; readonly reasons: readonly Reason[] },
  { neighbours, now }: Circumstances,
): PinStep {
  const start = pin.basis ?? pin.approved;
  const settled: StoredPin = {
    ...{ ...pin, state: 'approved', approved: wording, pending: null, grade, reasons, since: now },
    ...{ passes: pin.passes + 1, decidedBy: null, decidedAt: null },
    basis: start?.fingerprint === wording.fingerprint ? null : start,
  };
  const { pin: next, event } = toldStep(settled, 'passed', now);
  // A mark stays while a scan finds something, until the owner has looked.
  const looked = isWorthALook(pin) ? { ...next, grade: null, reasons: scanned(wording, neighbours) } : next;
  return event ? { pin: looked, event: { ...event, before: pin.approved?.fingerprint ?? null } } : { pin: looked };
}

/** A rejected wording stays rejected, however often the server returns to it. */
function changed(pin: StoredPin, { wording }: Sighting, reasons: readonly Reason[], { now }: Circumstances): PinStep {
  const isRefused = wording.fingerprint === pin.refused;
  const since = pin.pending === null ? now : pin.since;
  const times = pin.times + 1;
  const next: StoredPin = {
    ...pin,
    pending: wording,
    grade: 'risky',
    reasons,
    since,
    times,
    state: isRefused ? 'rejected' : 'changed',
  };
  return isRefused ? { pin: next } : toldStep(next, 'changed', now);
}

/** Reports the same thing once, and a thing that keeps changing only now and then. */
function toldStep(pin: StoredPin, act: PinAct, now: number): PinStep {
  const fingerprint = (pin.pending ?? pin.approved)?.fingerprint ?? null;
  const [{ ms, singly }, times] = act === 'passed' ? [tellingPasses, pin.passes] : [telling, pin.times];
  const isSoon = pin.toldAt !== null && now >= pin.toldAt && now - pin.toldAt < ms && times > singly;
  if (pin.told === fingerprint || isSoon) return { pin };
  const told = { ...pin, told: fingerprint, toldAt: now };
  return { pin: told, event: eventOf(told, act, now) };
}

function scanned({ definition }: PinnedWording, neighbours: Neighbours): Reason[] {
  return scanDefinition(definition, neighbours).map(reasonOf);
}

function reasonOf({ code, where, sentence }: Reason): Reason {
  return { code, where, sentence };
}

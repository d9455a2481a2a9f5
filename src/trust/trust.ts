/** Judgement of what servers say of themselves: changes are graded, approvals kept. This is the front of the folder. */

export { fingerprintIn, isOpen, isShownTo, isWorthALook } from './decide-pin.ts';
export { type Difference, differencesBetween } from './differences.ts';
export type { Judge } from './judge-cases.ts';
export { judgeApart } from './judge-thread.ts';
export type { Definition, Neighbours, ReasonCode } from './judgement.ts';
export { reasonsInWords } from './judgement.ts';
export { type JudgedListing, Pins, type Preview, type Selection } from './pins.ts';
export { unseen } from './scan/fold-text.ts';
export { scanDefinition } from './scan/scan.ts';
export { type Hold, type Shown, type ShownItem, showListing, sightingsIn } from './shown.ts';

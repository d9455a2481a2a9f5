/** Pins: for each thing that a server offers, and for its own words, the wording that was approved. */

import type { JsonObject } from '../../base/json.ts';
import type { ItemKind } from '../listing/listing.ts';

/** `server`: what a server says of itself; its name is empty. */
export const pinKinds = ['tool', 'resource', 'template', 'prompt', 'server'] as const satisfies (ItemKind | 'server')[];
export type PinKind = (typeof pinKinds)[number];

/** `changed`: it waits for the owner; `held`: nothing of it was ever approved; `rejected`: the owner said no. */
const pinStates = ['approved', 'changed', 'held', 'rejected'] as const;
export type PinState = (typeof pinStates)[number];

export interface PinnedWording {
  readonly fingerprint: string;
  readonly definition: JsonObject;
}

export interface PinReason {
  readonly code: string;
  readonly where: string;
  readonly sentence: string;
}

/** Names one thing of one server; unique. */
export interface PinKey {
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
}

export interface StoredPin extends PinKey {
  /** The server that was approved, whatever its name: another one under the same name starts with nothing. Empty: the one listed then. */
  readonly source: string;
  readonly state: PinState;
  /** null: never approved. */
  readonly approved: PinnedWording | null;
  /** The wording that the server offers instead; null: the approved one. */
  readonly pending: PinnedWording | null;
  /** The wording taken at first sight or by the owner, where changes without risk led away from it; null: the approved one. */
  readonly basis: PinnedWording | null;
  /** The fingerprint of what was approved, of something that is long gone: its words are not kept. */
  readonly faded: string | null;
  readonly grade: string | null;
  readonly reasons: readonly PinReason[];
  /** Since when the state is what it is. */
  readonly since: number;
  /** How often it became something that was not approved. */
  readonly times: number;
  /** How often it changed without risk. */
  readonly passes: number;
  /** The fingerprint that it had when that was last told. */
  readonly told: string | null;
  readonly toldAt: number | null;
  /** The fingerprint that the owner rejected. */
  readonly refused: string | null;
  /** The fingerprint that was last shown to somebody who can decide about it, and to whom. */
  readonly shown: string | null;
  readonly shownTo: string | null;
  /** The last decider; null: nobody had to. */
  readonly decidedBy: string | null;
  readonly decidedAt: number | null;
  /** The pin before the last decision; null: there is nothing to undo. */
  readonly undo: PinBefore | null;
}

/** A pin as it was until somebody decided about it at the time `at`. */
export interface PinBefore
  extends Omit<StoredPin, keyof PinKey | 'source' | 'told' | 'toldAt' | 'shown' | 'shownTo' | 'undo'> {
  readonly at: number;
}

/** `marked`: it passed though it is risky. `upgraded`: the server has another version, and `before` and `after` are versions. */
const pinActs = [
  'held',
  'passed',
  'marked',
  'upgraded',
  'changed',
  'returned',
  'approved',
  'rejected',
  'undone',
] as const;
export type PinAct = (typeof pinActs)[number];

/** Something that happened to a pin, kept as history: what people decided for ever, of the rest the newest. */
export interface PinEvent extends PinKey {
  readonly act: PinAct;
  readonly at: number;
  /** Fingerprints: what was approved until then, and what it was about. Of an upgrade, versions. */
  readonly before: string | null;
  readonly after: string | null;
  readonly grade: string | null;
  readonly reasons: readonly PinReason[];
  /** null: it happened by itself. */
  readonly by: string | null;
}

export interface StoredPinEvent extends PinEvent {
  readonly id: number;
}

export interface PinChanges {
  readonly pins: readonly StoredPin[];
  readonly events: readonly PinEvent[];
  /** Pins that are not remembered any more. */
  readonly removed?: readonly PinKey[] | undefined;
}

/** Events of one server that nobody decided; older ones make room. */
export const mostPinEvents = 5_000;

export interface PinEventQuery {
  readonly server?: string | undefined;
  readonly kind?: PinKind | undefined;
  readonly name?: string | undefined;
  readonly limit: number;
}

export interface PinStore {
  /** Approvals outlive the listing of what was approved. In no order. */
  listPins(): Promise<StoredPin[]>;
  /** Adds or replaces pins, adds to their history; all or none. */
  savePins(changes: PinChanges): Promise<void>;
  /** Newest first. */
  listPinEvents(query: PinEventQuery): Promise<StoredPinEvent[]>;
}

/** Waiting definitions by reason: one line for the owner, however many share it. */

import type { PinReason, PinState } from '../store/store.ts';
import { type ReasonCode, reasonsInWords } from '../trust/trust.ts';

/** Definitions that share a reason. One with several reasons is in several groups. */
export interface ReasonGroup {
  readonly server: string;
  readonly code: string;
  /** The reason in words of ours. */
  readonly words: string;
  /** True if these are withheld from agents; else they passed and are worth a look. */
  readonly isWaiting: boolean;
  readonly keys: readonly string[];
  /** The first of them, with what was found. */
  readonly example: { readonly key: string; readonly where: string; readonly sentence: string };
}

interface Reasoned {
  readonly server: string;
  readonly key: string;
  readonly state: PinState;
  readonly reasons: readonly PinReason[];
}

/** Rejected definitions are in no group. The largest groups come first, of each server and of either kind. */
export function groupByReason(changes: readonly Reasoned[]): ReasonGroup[] {
  const groups = new Map<string, ReasonGroup & { readonly keys: string[] }>();
  for (const { server, key, state, reasons } of changes) {
    if (state === 'rejected') continue;
    const isWaiting = state !== 'approved';
    for (const { code, where, sentence } of firstOfEachCode(reasons)) {
      const at = JSON.stringify([server, isWaiting, code]);
      const group = groups.get(at);
      // Only codes of ours are ever written.
      const words = reasonsInWords([{ code: code as ReasonCode }]);
      if (group) group.keys.push(key);
      else groups.set(at, { server, code, words, isWaiting, keys: [key], example: { key, where, sentence } });
    }
  }
  return [...groups.values()].sort(byWeight);
}

function firstOfEachCode(reasons: readonly PinReason[]): PinReason[] {
  return [...Map.groupBy(reasons, ({ code }) => code).values()].flatMap(([first]) => first ?? []);
}

function byWeight(a: ReasonGroup, b: ReasonGroup): number {
  return (
    Number(b.isWaiting) - Number(a.isWaiting) ||
    (a.server < b.server ? -1 : Number(a.server > b.server)) ||
    b.keys.length - a.keys.length ||
    (a.code < b.code ? -1 : 1)
  );
}

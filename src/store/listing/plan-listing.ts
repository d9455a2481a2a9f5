/** Compares a new listing with the stored one, by fingerprint, kind and name; pure. */

import type { ChangeKind, ItemKind, ListedItem, ListingDiff } from './listing.ts';

/** An item as far as the comparison needs it. */
interface KnownItem {
  readonly kind: ItemKind;
  readonly name: string;
  readonly fingerprint: string;
}

/** One row to touch. `item` is null for a removed one, `oldFingerprint` for an added one. */
export interface PlannedChange {
  readonly change: ChangeKind;
  readonly kind: ItemKind;
  readonly name: string;
  readonly oldFingerprint: string | null;
  readonly item: ListedItem | null;
}

interface ListingPlan {
  readonly changes: readonly PlannedChange[];
  /** Of tools alone: resources, templates and prompts are in `changes` only. */
  readonly diff: ListingDiff;
}

/** Should a listing name an item twice, the first one counts. */
export function planListing(known: readonly KnownItem[], listed: readonly ListedItem[]): ListingPlan {
  const gone = new Map(known.map((item) => [keyOf(item), item]));
  const seen = new Set<string>();
  const changes: PlannedChange[] = [];
  let unchanged = 0;
  for (const item of listed) {
    const key = keyOf(item);
    if (seen.has(key)) continue;
    seen.add(key);
    const old = gone.get(key);
    gone.delete(key);
    if (old?.fingerprint === item.fingerprint) unchanged += item.kind === 'tool' ? 1 : 0;
    else changes.push(planned(old === undefined ? 'added' : 'updated', item, old ?? null, item));
  }
  for (const item of gone.values()) changes.push(planned('removed', item, item, null));
  return { changes, diff: { ...toolNames(changes), unchanged } };
}

/** A kind holds no space, so two items never share a key. */
export function keyOf(item: { readonly kind: string; readonly name: string }): string {
  return `${item.kind} ${item.name}`;
}

function planned(
  change: ChangeKind,
  { kind, name }: { kind: ItemKind; name: string },
  old: KnownItem | null,
  item: ListedItem | null,
): PlannedChange {
  return { change, kind, name, oldFingerprint: old?.fingerprint ?? null, item };
}

function toolNames(changes: readonly PlannedChange[]): Record<ChangeKind, string[]> {
  const names: Record<ChangeKind, string[]> = { added: [], updated: [], removed: [] };
  for (const { kind, name, change } of changes) if (kind === 'tool') names[change].push(name);
  return names;
}

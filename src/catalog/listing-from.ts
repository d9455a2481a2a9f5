/** A listing as it is kept, made from what a server offers, and how it differs from the one before. */

import { isDeepStrictEqual } from 'node:util';
import { fingerprintOf } from '../base/ids.ts';
import type { JsonObject } from '../base/json.ts';
import type { Offer } from '../downstream/downstream.ts';
import type { ItemKind, ListedItem, Listing } from '../store/store.ts';
import type { JudgedListing } from '../trust/trust.ts';

/** A kind that the server failed to list stays as it was `before`. */
export function listingFrom(offer: Offer, listedAt: number, source: string, before: readonly ListedItem[]): Listing {
  const items = (kind: ItemKind, definitions: readonly Record<string, unknown>[] | null, key: string) =>
    definitions?.map((definition) => ({
      kind,
      name: String(definition[key]),
      fingerprint: fingerprintOf(definition),
      // It was parsed from JSON a moment ago.
      definition: definition as JsonObject,
    })) ?? before.filter((item) => item.kind === kind);
  return {
    serverInfo: offer.serverInfo as JsonObject | null,
    capabilities: offer.capabilities as JsonObject,
    instructions: offer.instructions,
    source,
    items: [
      ...items('tool', offer.tools, 'name'),
      ...items('resource', offer.resources, 'uri'),
      ...items('template', offer.templates, 'uriTemplate'),
      ...items('prompt', offer.prompts, 'name'),
    ],
    listedAt,
  };
}

/** Longer versions are cut: they are shown to people. */
const versionChars = 64;

export function upgradeBetween(before: Listing | undefined, { serverInfo }: Listing): JudgedListing['upgrade'] {
  const [from, to] = [before?.serverInfo?.version, serverInfo?.version];
  if (typeof from !== 'string' || typeof to !== 'string' || from === to) return undefined;
  return { from: from.slice(0, versionChars), to: to.slice(0, versionChars) };
}

/** True if both say the same, whenever they were made. */
export function isSameListing(one: Listing, other: Listing): boolean {
  return isDeepStrictEqual(wordsOf(one), wordsOf(other));
}

function wordsOf({ serverInfo, capabilities, instructions, source, items }: Listing) {
  const marks = new Map(items.map(({ kind, name, fingerprint }) => [`${kind} ${name}`, fingerprint]));
  return { serverInfo, capabilities, instructions, source, marks };
}

/** The part of a listing that agents see: the approved wording of each thing, and nothing never approved. */

import { fingerprintOf } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import type { ItemKind, ListedItem, Listing, PinKind, StoredPin } from '../store/store.ts';
import type { Reason } from './judgement.ts';
import type { Sighting } from './sighting.ts';

/** Set on what is shown as it was approved, while the server offers something else: it cannot be used. */
export interface Hold {
  readonly state: 'changed';
  readonly since: number;
  readonly reasons: readonly Reason[];
}

export interface ShownItem extends ListedItem {
  readonly hold?: Hold | undefined;
}

export interface Shown {
  readonly items: readonly ShownItem[];
  /** Names of what is withheld, by kind. */
  readonly held: Readonly<Record<ItemKind, ReadonlySet<string>>>;
  /** The server's approved words about itself. */
  readonly words: Readonly<Record<string, string>>;
}

type FindPin = (kind: PinKind, name: string) => StoredPin | undefined;

/** Goes by fingerprints alone: what nobody has judged yet is withheld. */
export function showListing(listing: Listing, find: FindPin): Shown {
  const held = {
    tool: new Set<string>(),
    resource: new Set<string>(),
    template: new Set<string>(),
    prompt: new Set<string>(),
  };
  const items = listing.items.flatMap((item): ShownItem[] => {
    const pin = find(item.kind, item.name);
    if (pin?.approved?.fingerprint === item.fingerprint) return [item];
    if (pin?.approved) return [{ ...item, ...pin.approved, hold: holdOf(pin) }];
    held[item.kind].add(item.name);
    return [];
  });
  return { items, held, words: textsIn(find('server', '')?.approved?.definition) };
}

function holdOf({ since, reasons }: StoredPin): Hold {
  // Only reasons of ours are ever written.
  return { state: 'changed', since, reasons: reasons as readonly Reason[] };
}

/** Everything that a listing shows of a server, to be judged. */
export function sightingsIn(server: string, source: string, listing: Listing): Sighting[] {
  const items = listing.items.map(({ kind, name, fingerprint, definition }): Sighting => {
    return { server, source, kind, name, wording: { fingerprint, definition } };
  });
  const definition = wordsIn(listing);
  const wording = { fingerprint: fingerprintOf(definition), definition };
  return [...items, { server, source, kind: 'server', name: '', wording }];
}

/** A server's words about itself to agents, without its version. */
function wordsIn({ serverInfo, instructions }: Listing): Record<string, string> {
  const { name, title, description } = isObject(serverInfo) ? serverInfo : {};
  return textsIn({ name, title, description, instructions });
}

function textsIn(words: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  const texts = Object.entries(words ?? {}).filter((word): word is [string, string] => typeof word[1] === 'string');
  return Object.fromEntries(texts);
}

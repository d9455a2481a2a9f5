/** The listings of servers: everything that each offered when it was last asked, and how that changed. */

import type { JsonObject } from '../../base/json.ts';
import type { PinChanges } from '../pin/pin.ts';

export type ItemKind = 'tool' | 'resource' | 'template' | 'prompt';

/** One thing a server offers, as the server gave it. */
export interface ListedItem {
  readonly kind: ItemKind;
  /** A tool's or prompt's name, a resource's URI, a template's URI template. Unique by kind within a listing. */
  readonly name: string;
  readonly fingerprint: string;
  readonly definition: JsonObject;
}

/** A server's words about itself when it was last listed in full. */
export interface ListingHead {
  readonly serverInfo: JsonObject | null;
  readonly capabilities: JsonObject;
  readonly instructions: string | null;
  /** The server that was listed, whatever its name: another one under the same name is not described by this. */
  readonly source: string;
}

/** A complete, successful listing of one server. */
export interface Listing extends ListingHead {
  readonly items: readonly ListedItem[];
  readonly listedAt: number;
}

/** A listing as the store knows it. `staleSince` is set while the server could not be listed again. */
export interface StoredListing extends Listing {
  readonly server: string;
  readonly staleSince: number | null;
  readonly staleReason: string | null;
}

export type ChangeKind = 'added' | 'updated' | 'removed';

/** The mark of a changed item, without its definitions. */
export interface CatalogChangeMark {
  readonly id: number;
  readonly server: string;
  readonly kind: ItemKind;
  readonly name: string;
  readonly change: ChangeKind;
  /** All changes of one listing have the same time. */
  readonly at: number;
}

/** Changes of one server that are kept as history; older ones make room. */
export const mostCatalogChanges = 5_000;

/** One change of one item. */
export interface CatalogChange extends CatalogChangeMark {
  readonly oldFingerprint: string | null;
  readonly newFingerprint: string | null;
  readonly oldDefinition: JsonObject | null;
  readonly newDefinition: JsonObject | null;
}

/** How many items of a listing were new, changed, gone or the same. */
export interface ListingDiff {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

export interface ChangeQuery {
  readonly server?: string | undefined;
  readonly name?: string | undefined;
  /** Only changes with a smaller id: pages backwards. */
  readonly before?: number | undefined;
  readonly limit?: number | undefined;
}

export interface ListingStore {
  /** Every listing with its items, ordered by server, kind and name. */
  listListings(): Promise<StoredListing[]>;
  /** Replaces a server's listing in one transaction, with what was judged of it; records each change as history, touches no unchanged row. */
  applyListing(server: string, listing: Listing, pins?: PinChanges): Promise<ListingDiff>;
  /** Keeps the last good listing and says that it may be out of date. No-op for an unknown server. */
  markStale(server: string, reason: string, at: number): Promise<void>;
  removeListing(server: string): Promise<void>;
  /** Newest first. */
  listChanges(query: ChangeQuery): Promise<CatalogChange[]>;
  listChangeMarks(query: ChangeQuery): Promise<CatalogChangeMark[]>;
}

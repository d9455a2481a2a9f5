/** The listings in memory, in step with the store: stored with what was judged of them, and taken over from other gateways. */

import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import {
  type Listing,
  type ListingDiff,
  type ListingStore,
  type PinEvent,
  type StoreChanges,
  type StoredListing,
  type StoreEvent,
  StoreFollower,
} from '../store/store.ts';
import type { Pins } from '../trust/trust.ts';
import { isSameListing } from './listing-from.ts';

interface KnownListingsOptions {
  readonly store: ListingStore & StoreChanges;
  readonly pins: Pins;
  readonly clock: Clock;
  readonly log: Log;
  /** Other gateways listed these servers, or decided about what they offer. */
  readonly onTakenOver: (servers: readonly string[]) => void;
}

export class KnownListings {
  readonly #options: KnownListingsOptions;
  readonly #follower: StoreFollower;
  readonly #listings = new Map<string, StoredListing>();
  /** Servers whose listing here is newer than the one in the store. */
  readonly #unkept = new Set<string>();

  constructor(options: KnownListingsOptions) {
    this.#options = options;
    this.#follower = new StoreFollower({
      ...options,
      subject: 'Listings and approvals of other gateways',
      isMeant: ({ type, isOthers }) => type === 'catalog' && isOthers === true,
      read: (told) => this.#takeOver(told),
    });
  }

  open(): Promise<void> {
    const { store, pins } = this.#options;
    return this.#follower.open(async () => {
      await pins.open();
      for (const listing of await store.listListings()) {
        this.#listings.set(listing.server, listing);
        pins.share(listing.server, listing.items);
      }
    });
  }

  close(): Promise<void> {
    return this.#follower.close();
  }

  get(server: string): StoredListing | undefined {
    return this.#listings.get(server);
  }

  servers(): string[] {
    return [...this.#listings.keys()];
  }

  /** Counts at once; `keep` stores it. */
  set(server: string, listing: Listing): void {
    this.#listings.set(server, { ...listing, server, staleSince: null, staleReason: null });
    this.#unkept.add(server);
  }

  setStale(listing: StoredListing, staleSince: number, staleReason: string): void {
    this.#listings.set(listing.server, { ...listing, staleSince, staleReason });
  }

  delete(server: string): void {
    this.#listings.delete(server);
    this.#unkept.delete(server);
  }

  /** Throws `OutdatedPinsError` where another gateway decided about the same definitions meanwhile: nothing is stored then. */
  keep(
    server: string,
    listing: Listing,
  ): Promise<{ readonly diff: ListingDiff; readonly events: readonly PinEvent[] }> {
    const { store, pins } = this.#options;
    return pins.keep(server, async (changes) => {
      const diff = await store.applyListing(server, listing, changes);
      this.#unkept.delete(server);
      return { diff, events: changes.events };
    });
  }

  /** Takes over what another gateway has stored of it, without waiting to hear of that. */
  async readAgain(server: string): Promise<void> {
    if (await this.#takeOverOf(server)) this.#options.onTakenOver([server]);
  }

  async #takeOver(told: readonly StoreEvent[]): Promise<void> {
    const named = told.flatMap((event) => (event.type === 'catalog' ? [event.server] : []));
    const servers = named.includes(null) ? await this.#all() : named;
    const changed: string[] = [];
    for (const server of new Set(servers))
      if (server !== null && (await this.#takeOverOf(server))) changed.push(server);
    if (changed.length > 0) this.#options.onTakenOver(changed);
  }

  /** Also those whose listing is gone from the store. */
  async #all(): Promise<string[]> {
    const { listings, pins } = await this.#options.store.readCatalog(null);
    return [...this.servers(), ...[...listings, ...pins].map(({ server }) => server)];
  }

  /** True if that is other than what was known. */
  async #takeOverOf(server: string): Promise<boolean> {
    const { store, pins } = this.#options;
    let stored: StoredListing | undefined;
    const isDecided = await pins.takeOver(server, async () => {
      const found = await store.readCatalog([server]);
      stored = found.listings[0];
      return found.pins;
    });
    const known = this.#listings.get(server);
    // One that is about to be stored here is newer.
    if (this.#unkept.has(server) || known === stored) return isDecided;
    // That another gateway cannot reach the server says nothing about this one.
    if (known && stored && isSameListing(known, stored)) return isDecided;
    if (stored) this.#listings.set(server, stored);
    else this.#listings.delete(server);
    pins.share(server, stored?.items ?? []);
    return true;
  }
}

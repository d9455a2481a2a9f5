/** The catalog of all servers' offers: stored, shown as snapshots, refreshed one server at a time, never half. */

import { isDeepStrictEqual } from 'node:util';
import type { AuditLog } from '../audit/audit.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { redactedBeginning } from '../base/redact.ts';
import { Signal } from '../base/signal.ts';
import { hasSameLinks, limits, type ServerSpec, sameServer, type UpgradePolicy } from '../config/config.ts';
import {
  type Downstream,
  isFrom,
  type Offer,
  packageRunnerOf,
  type ServerStatus,
  sourceOf,
} from '../downstream/downstream.ts';
import {
  type Listing,
  type ListingDiff,
  type ListingStore,
  OutdatedPinsError,
  type PinEvent,
  type PinStore,
  planListing,
  type StoreChanges,
  type StoredListing,
  type StoredPin,
  type Turns,
} from '../store/store.ts';
import { type Judge, judgeApart, Pins, type Selection, showListing, sightingsIn } from '../trust/trust.ts';
import { KnownListings } from './known-listings.ts';
import { listingFrom, upgradeBetween } from './listing-from.ts';
import { type Refreshed, Refresher } from './refresher.ts';
import {
  buildSnapshot,
  hasOtherTools,
  neighboursOf,
  type Rewordings,
  type ShownListing,
  type Snapshot,
} from './snapshot.ts';

export { listingFrom } from './listing-from.ts';
export { Registry } from './registry.ts';
export { type OpenTrial, ServerTrials } from './server-trials.ts';
export {
  canonicalOf,
  type Entry,
  type Rewordings,
  readingMark,
  type ServerEntry,
  type Snapshot,
  wordingFingerprint,
} from './snapshot.ts';

interface CatalogOptions {
  readonly store: ListingStore & PinStore & StoreChanges;
  readonly downstream: Downstream;
  readonly clock: Clock;
  readonly log: Log;
  /** Of several replicas, one lists a new server; left out, there are no others. */
  readonly replicas?: Turns | undefined;
  /** True: servers that were never listed are listed in the background. A gateway for one command does not. */
  readonly listsUnknown?: boolean | undefined;
  /** True: the owner must approve everything new. Left out, the first listing is trusted. */
  readonly approvesNew?: (() => boolean) | undefined;
  /** The policy for risky changes, unless the server has its own; left out, they wait. */
  readonly upgrades?: (() => UpgradePolicy) | undefined;
  /** The names of the gateway's own tools, which no server is to pass itself off as. */
  readonly ownNames?: ReadonlySet<string> | undefined;
  /** Left out, judging is done in a thread. */
  readonly judge?: Judge | undefined;
}

export class Catalog {
  /** There are other tools, or what there is means something else. */
  readonly changed = new Signal<void>();
  /** There is another snapshot, though it may read like the last one. */
  readonly renewed = new Signal<void>();
  /** This server was listed, and its changes are in the store, or it could not be listed. */
  readonly listingEnded = new Signal<string>();
  /** The settings are others: lists may read differently although no server changed. */
  readonly configured = new Signal<void>();
  readonly failing = new FailingServers();
  /** Which definitions are approved. */
  readonly pins: Pins;
  readonly #store: ListingStore & PinStore;
  readonly #downstream: Downstream;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #refresher: Refresher;
  readonly #replicas: Turns | undefined;
  readonly #listsUnknown: boolean;
  readonly #ownNames: ReadonlySet<string>;
  readonly #upgrades: (server: string) => UpgradePolicy;
  /** Servers whose empty list was not believed the first time. */
  readonly #doubted = new Set<string>();
  readonly #warnings = new Map<string, readonly string[]>();
  /** Why the last listing of a server failed. */
  readonly #troubles = new Map<string, string>();
  readonly #listings: KnownListings;
  /** The visible part of each listing; rebuilt when an approval changes it. */
  #shown = new WeakMap<StoredListing, ShownListing>();
  /** Listings being judged: nobody sees them yet, but a server that comes meanwhile is judged beside them. */
  readonly #judging = new Map<string, Listing>();
  #rewordings: Rewordings = new Map();
  #specs: readonly ServerSpec[] = [];
  #snapshot: Snapshot = buildSnapshot([], () => undefined);
  readonly #stop: (() => void)[] = [];

  constructor(options: CatalogOptions) {
    this.#store = options.store;
    this.#downstream = options.downstream;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#listsUnknown = options.listsUnknown ?? true;
    this.#ownNames = options.ownNames ?? new Set();
    const { store, clock, approvesNew = () => false, judge = judgeApart.judge } = options;
    this.#upgrades = (server) => this.#downstream.spec(server)?.upgrades ?? options.upgrades?.() ?? 'hold';
    this.pins = new Pins({ store, clock, approvesNew, judge, upgrades: this.#upgrades });
    this.#refresher = new Refresher(
      options.clock,
      (server, signal) => this.#refreshNow(server, signal),
      (server, list, signal) => this.#listFirst(server, list, signal),
    );
    this.#replicas = options.replicas;
    const onTakenOver = (servers: readonly string[]) => this.#showAgain(...servers);
    this.#listings = new KnownListings({ ...options, pins: this.pins, onTakenOver });
  }

  /** Loads what was known; nothing is connected by that. */
  async open(): Promise<void> {
    await this.#listings.open();
    this.#rebuild();
    this.#downstream.judging = (server) =>
      this.#upgrades(server) === 'allow' ? undefined : this.#refresher.now(server);
    this.#stop.push(
      this.#downstream.listChanged.on(({ server }) => this.#refresher.soon(server)),
      this.#downstream.changed.on((server) => this.#onServerChanged(server)),
    );
  }

  async close(): Promise<void> {
    for (const stop of this.#stop.splice(0)) stop();
    await this.#listings.close();
    await this.#refresher.close();
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Why items of a server were left out when it was last listed. */
  warnings(server: string): readonly string[] {
    return this.#warnings.get(server) ?? [];
  }

  /** Why a server could not be listed when that was last tried. */
  trouble(server: string): string | undefined {
    return this.#troubles.get(server);
  }

  /** Takes over the set of servers; those never listed, or now found elsewhere, are listed in the background. */
  setServers(specs: readonly ServerSpec[]): void {
    const before = new Map(this.#specs.map((spec) => [spec.name, spec]));
    this.#specs = specs;
    // One that was removed, or is another one now, fails no longer.
    for (const name of this.failing.names()) this.failing.note(name, this.#downstream.status(name)?.state);
    this.#rebuild();
    if (!this.#listsUnknown) return;
    const usable = specs.filter((item) => item.isEnabled && !item.problem);
    // Servers that may have to be downloaded come last, so that no other waits for them.
    for (const spec of usable.toSorted((a, b) => Number(isInstalled(b)) - Number(isInstalled(a)))) {
      const old = before.get(spec.name);
      const isChanged = old !== undefined && !sameServer(old, spec);
      // The same place with another key or setting may offer something else.
      const isReset = old !== undefined && !isDeepStrictEqual(old.transport, spec.transport);
      if (this.#known(spec) && !isReset) continue;
      judgeApart.prepare();
      if (isChanged) this.#refresher.laterAgain(spec.name);
      else this.#refresher.later(spec.name);
    }
  }

  /** The listing of this very server; that of another one under the same name does not count. */
  #known(spec: ServerSpec | undefined): StoredListing | undefined {
    const listing = spec && this.#listings.get(spec.name);
    return spec && listing && isFrom(listing.source, spec) ? listing : undefined;
  }

  /**
   * Asks the server again now; throws what went wrong, or that it is still being installed. What was known before stays then,
   * marked as stale where the server failed. A gateway for one command waits for installations: they would end with it.
   */
  refresh(server: string): Promise<ListingDiff> {
    return this.#inTime(server, this.#refresher.now(server));
  }

  /** The same, by a listing that begins after this call; a first listing is joined. */
  relist(server: string): Promise<ListingDiff> {
    return this.#inTime(server, this.#refresher.startAfterRunning(server));
  }

  #inTime(server: string, listing: Promise<ListingDiff>): Promise<ListingDiff> {
    return this.#listsUnknown ? this.#downstream.inTime(server, listing) : listing;
  }

  /** True while its first listing is outstanding. */
  isBeingListed(server: string): boolean {
    return this.#refresher.isFirst(server);
  }

  /** Waits, but not long, for the first listing of servers that are still unknown, or until that is enough. */
  async settle(maxMs: number, isEnough?: () => boolean): Promise<void> {
    await this.#refresher.settled(maxMs, isEnough);
  }

  async forget(server: string): Promise<void> {
    this.leave(server);
    await this.#store.removeListing(server);
  }

  /** The same where another gateway has removed the server from the store. */
  leave(server: string): void {
    this.#refresher.forget(server);
    this.#listings.delete(server);
    this.#warnings.delete(server);
    this.#troubles.delete(server);
    this.#doubted.delete(server);
    this.#rebuild();
  }

  /** A server that has just been connected may be another version than the one that was listed. */
  #onServerChanged(server: string): void {
    const status = this.#downstream.status(server);
    this.failing.note(server, status?.state);
    if (status?.state === 'connected') this.#refresher.onConnected(server, status.openedAt ?? 0);
  }

  /** One replica lists a remote server that is new to all, and the others take over its listing. A local program is each one's own. */
  async #listFirst(server: string, list: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
    const spec = this.#downstream.spec(server);
    const isForAll = spec && spec.transport.kind !== 'stdio' && !this.#known(spec);
    if (!this.#replicas || !isForAll) return list();
    const listUnknown = async () => {
      await this.#listings.readAgain(server);
      return this.#known(spec) ?? list();
    };
    return this.#replicas.inTurn(`listing/${server}`, listUnknown, signal);
  }

  async #refreshNow(server: string, signal: AbortSignal): Promise<Refreshed> {
    const spec = this.#downstream.spec(server);
    if (!spec) throw noServer(server);
    let offer: Offer;
    try {
      offer = await this.#downstream.list(server, signal);
      this.#doubtEmpty(spec, offer);
    } catch (error) {
      // The gateway or a config change ended it, which says nothing about the server.
      const now = this.#downstream.spec(server);
      if (signal.aborted || !now || !hasSameLinks(now, spec)) throw error;
      this.#onFailure(spec, redactedBeginning(messageOf(error), limits.serverWordsChars));
      throw error;
    }
    // One that was removed or moved meanwhile is not to come back through its list.
    if (!this.#isStill(spec)) throw noServer(server);
    const before = this.#known(spec);
    const listing = listingFrom(offer, this.#clock.now(), sourceOf(spec), before?.items ?? []);
    try {
      await this.#judge(spec, listing);
      if (!this.#isStill(spec)) throw noServer(server);
      this.#listings.set(server, listing);
      this.#warnings.set(server, offer.warnings);
      this.#troubles.delete(server);
      this.#doubted.delete(server);
      this.#rebuild();
      this.#downstream.noteJudged(server, offer.startedAt);
    } finally {
      this.#judging.delete(server);
    }
    try {
      const diff = await this.#keep(spec, listing);
      this.#logChange(server, diff);
      return diff;
    } catch (error) {
      // Agents see what the server offers all the same; a later listing keeps it for the next start.
      this.#log.warn('A listing could not be kept', { server, error: messageOf(error) });
      return { ...planListing(before?.items ?? [], listing.items).diff, isUnkept: true };
    }
  }

  /** Where another gateway decided about the same definitions meanwhile, they are judged again by what it decided. */
  async #keep(spec: ServerSpec, listing: Listing): Promise<ListingDiff> {
    const server = spec.name;
    for (let tries = 1; ; tries += 1) {
      try {
        const { diff, events } = await this.#listings.keep(server, listing);
        this.listingEnded.emit(server);
        this.#logWaiting(server, events);
        return diff;
      } catch (error) {
        if (!(error instanceof OutdatedPinsError) || tries === mostTries) throw error;
        await this.#judge(spec, listing).finally(() => this.#judging.delete(server));
        this.#showAgain(server);
      }
    }
  }

  #logChange(server: string, diff: ListingDiff): void {
    const [added, changed, removed] = [diff.added.length, diff.updated.length, diff.removed.length];
    if (added + changed + removed > 0)
      this.#log.info('The tools of a server changed', { server, added, changed, removed });
  }

  /** Said once for each thing that came to wait. */
  #logWaiting(server: string, events: readonly PinEvent[]): void {
    const count = events.filter(({ act }) => act === 'held' || act === 'changed').length;
    if (count > 0) this.#log.warn('Definitions wait for your review', { server, count });
  }

  #isStill(spec: ServerSpec): boolean {
    const current = this.#downstream.spec(spec.name);
    return current !== undefined && sourceOf(current) === sourceOf(spec);
  }

  /** Before anybody sees a listing, everything in it is compared with what was approved. */
  async #judge(spec: ServerSpec, listing: Listing): Promise<void> {
    const { name } = spec;
    await this.pins.claim(name, sourceOf(spec), this.#known(spec) !== undefined);
    const neighbours = neighboursOf(this.#snapshot, this.#judging, name, listing, this.#ownNames);
    this.#judging.set(name, listing);
    try {
      const upgrade = upgradeBetween(this.#known(spec), listing);
      const judged = { at: listing.listedAt, upgrade };
      await this.pins.judge(name, sightingsIn(name, sourceOf(spec), listing), neighbours, judged);
    } catch (error) {
      if (this.#isStill(spec)) this.#onFailure(spec, messageOf(error));
      throw error;
    }
    this.pins.share(name, listing.items);
  }

  /** Judges an offer like a listing, without any effect on agents or other servers. */
  preview(spec: ServerSpec, offer: Offer): ReturnType<Pins['preview']> {
    const source = sourceOf(spec);
    const listing = listingFrom(offer, this.#clock.now(), source, this.#known(spec)?.items ?? []);
    const neighbours = neighboursOf(this.#snapshot, this.#judging, spec.name, listing, this.#ownNames);
    return this.pins.preview(spec.name, sightingsIn(spec.name, source, listing), neighbours);
  }

  /** The owner's word about what waits; all of it or nothing. What is approved is seen at once. */
  async decide(selection: Selection, decision: 'approved' | 'rejected', by: string): Promise<StoredPin[]> {
    const decided = await this.pins.decide(selection, decision, by);
    this.#showAgain(selection.server);
    return decided;
  }

  /** Takes back the owner's last word; agents see what was approved before at once. */
  async undo(selection: Selection, by: string): Promise<StoredPin[]> {
    const undone = await this.pins.undo(selection, by);
    this.#showAgain(selection.server);
    return undone;
  }

  /** Agents read these descriptions at once, and the servers' own of all other tools. */
  reword(rewordings: Rewordings): void {
    const before = this.#rewordings;
    this.#rewordings = rewordings;
    const others = this.#listings
      .servers()
      .filter((server) => !isDeepStrictEqual(before.get(server), rewordings.get(server)));
    if (others.length > 0) this.#showAgain(...others);
  }

  #showAgain(...servers: readonly string[]): void {
    for (const server of servers) {
      const listing = this.#listings.get(server);
      if (listing) this.#shown.delete(listing);
    }
    this.#rebuild();
  }

  /** The part of a listing that agents see by the current approvals. */
  #showing(spec: ServerSpec): ShownListing | undefined {
    const listing = this.#known(spec);
    if (!listing) return undefined;
    const source = sourceOf(spec);
    const find: Parameters<typeof showListing>[1] = (kind, name) => this.pins.find(spec.name, source, kind, name);
    const rewordings = this.#rewordings.get(spec.name) ?? new Map();
    const showing = this.#shown.get(listing) ?? { ...listing, shown: showListing(listing, find), rewordings };
    this.#shown.set(listing, showing);
    return showing;
  }

  #onFailure(spec: ServerSpec, reason: string): void {
    this.#troubles.set(spec.name, reason);
    this.#log.debug('A server could not be listed', { server: spec.name, error: reason });
    this.#markStale(spec, reason);
    this.listingEnded.emit(spec.name);
    // Where the link itself failed, its own healing brings the next listing.
    if (this.#downstream.status(spec.name)?.state === 'connected') this.#refresher.again(spec.name);
  }

  /** A server that has just failed to list its tools and now has none is more likely still failing: it must say so twice. */
  #doubtEmpty(spec: ServerSpec, offer: Offer): void {
    const server = spec.name;
    const known = this.#known(spec);
    const isSuspect = known !== undefined && known.staleSince !== null && offer.tools.length === 0;
    if (!isSuspect || this.#doubted.has(server) || !known.items.some((item) => item.kind === 'tool')) return;
    this.#doubted.add(server);
    throw new GatewayError('SERVER_NOT_RUNNING', `Server "${server}" lists no tools at all right after it failed.`, {
      hint: 'The tools known before stay until the server again lists none.',
      data: { reason: 'empty-list' },
    });
  }

  #markStale(spec: ServerSpec, reason: string): void {
    const known = this.#known(spec);
    if (!known || known.staleSince !== null) return;
    const at = this.#clock.now();
    this.#listings.setStale(known, at, reason);
    this.#rebuild();
    // A mark that cannot be kept is missing after a restart, where the server is listed again in any case.
    this.#store
      .markStale(spec.name, reason, at)
      .catch((error) =>
        this.#log.warn('A stale mark could not be kept', { server: spec.name, error: messageOf(error) }),
      );
  }

  #rebuild(): void {
    const before = this.#snapshot;
    this.#snapshot = buildSnapshot(this.#specs, (spec) => this.#showing(spec), before);
    if (hasOtherTools(before, this.#snapshot)) this.changed.emit();
    this.renewed.emit();
  }
}

/** Judgements of one listing, while another gateway is quicker each time. */
const mostTries = 5;

/** True if it starts without a download. */
function isInstalled({ transport }: ServerSpec): boolean {
  return transport.kind !== 'stdio' || packageRunnerOf(transport) === undefined;
}

function noServer(server: string): GatewayError {
  return new GatewayError('SERVER_NOT_FOUND', `There is no server "${server}".`);
}

/** Servers that fail. Links that open on demand and close when idle are no news: only failing and recovering is. */
export class FailingServers {
  /** This one began to fail, or stopped. */
  readonly changed = new Signal<string>();
  readonly #names = new Set<string>();

  /** Takes the state of a server. Connecting and installing change nothing, because that is how a failing server is retried. */
  note(server: string, state: ServerStatus['state'] | undefined): void {
    const isTried = state === 'connecting' || state === 'installing';
    if (isTried || this.#names.has(server) === (state === 'failed')) return;
    if (state === 'failed') this.#names.add(server);
    else this.#names.delete(server);
    this.changed.emit(server);
  }

  has(server: string): boolean {
    return this.#names.has(server);
  }

  /** A copy. */
  names(): ReadonlySet<string> {
    return new Set(this.#names);
  }
}

/** The principal for events that nobody decided. */
const gateway = { id: 'gateway', name: 'gateway' };

/** Records what happens to approvals in the audit, with both fingerprints. Returns the function that stops it. */
export function auditPins(pins: Pins, audit: Pick<AuditLog, 'record'>): () => void {
  return pins.told.on(({ server, kind, name, act, before, after, grade, reasons, by }: PinEvent) => {
    void audit.record({
      kind: 'administration',
      action: `definition.${act}`,
      principal: by === null ? gateway : { id: by, name: by },
      // A listing may begin while somebody is served, and is nobody's request all the same.
      requestId: by === null ? null : undefined,
      server,
      tool: kind === 'tool' ? name : null,
      outcome: act === 'changed' || act === 'held' ? 'refused' : 'ok',
      // Where the reasons are found may hold names that the server chose; their codes do not.
      detail: { kind, name, before, after, grade, reasons: [...new Set(reasons.map(({ code }) => code))] },
    });
  });
}

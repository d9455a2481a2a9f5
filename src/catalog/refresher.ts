/** When servers are listed: at once, soon (change notices, coalesced), later (first listings, a few at a time), again (after failures). */

import { type Clock, sleep, type Timer } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import type { ListingDiff } from '../store/store.ts';

/** Least time between two refreshes that change notices bring about; in a storm of them it doubles while they bring nothing new. */
const spacingMs = { first: 900, most: 30_000 };
/** More notices than this for one refresh are a storm. */
const stormNotices = 10;
/** A storm of notices is over after this time without one; then the server is listed. */
const calmMs = 2_000;
/** Calms that are believed of a server whose storms bring nothing new; then it is listed only when its pace allows it. */
const mostCalms = 20;

/** The outcome of a listing. */
export interface Refreshed extends ListingDiff {
  /** The store could not keep it: the server is listed again later. */
  readonly isUnkept?: boolean;
}

type Refresh = (server: string, signal: AbortSignal) => Promise<Refreshed>;
/** Lists a server that nobody knows yet, unless somebody else does. */
type FirstListing = (server: string, list: () => Promise<unknown>, signal: AbortSignal) => Promise<unknown>;

/** Why a server is listed: somebody wants it, the server said that something changed, or said so while it was listed. */
type Cause = 'asked' | 'notice' | 'follow-up';

/** How often a server that sends change notices is listed for them. */
interface Pace {
  readonly endedAt: number;
  readonly spacingMs: number;
  /** How often its calm was believed since: a server that storms again after each listing would be listed after every calm. */
  readonly calmsUsed: number;
}

export class Refresher {
  readonly #clock: Clock;
  readonly #refresh: Refresh;
  readonly #firstListing: FirstListing;
  readonly #ended = new AbortController();
  readonly #running = new Map<string, Promise<ListingDiff>>();
  /** Those that begin when the running one has ended. */
  readonly #following = new Map<string, Promise<ListingDiff>>();
  /** When a listing last ended well, in monotonic time, to know whether a link is younger than it. */
  readonly #lastListed = new Map<string, number>();
  readonly #notices = new Map<string, Timer>();
  readonly #paces = new Map<string, Pace>();
  /** Change notices since the last listing that they brought about. */
  readonly #noticed = new Map<string, number>();
  /** When the last one came, in monotonic time. */
  readonly #lastNotice = new Map<string, number>();
  /** Servers that told of a change while they were being listed. */
  readonly #outdated = new Set<string>();
  readonly #retries = new Map<string, { readonly timer: Timer; readonly count: number }>();
  /** Servers whose first listing is outstanding, and when it began (undefined: still in the queue). */
  readonly #first = new Map<string, number | undefined>();
  readonly #queue: string[] = [];
  /** Servers that became another one while they were being listed for the first time. */
  readonly #replaced = new Set<string>();
  #firstRunning = 0;

  constructor(clock: Clock, refresh: Refresh, firstListing: FirstListing = (_server, list) => list()) {
    this.#clock = clock;
    this.#refresh = refresh;
    this.#firstListing = firstListing;
  }

  /** Starts a refresh, or joins the one that is running. */
  now(server: string): Promise<ListingDiff> {
    return this.#running.get(server) ?? this.#run(server, 'asked');
  }

  /** Starts a refresh; where one is running, another one after it, because that may have asked the server already. Joins a first listing. */
  startAfterRunning(server: string): Promise<ListingDiff> {
    const running = this.#running.get(server);
    if (!running || this.#first.has(server)) return this.now(server);
    const over = () => void this.#following.delete(server);
    const following = this.#following.get(server) ?? running.then(over, over).then(() => this.now(server));
    this.#following.set(server, following);
    return following;
  }

  #run(server: string, cause: Cause): Promise<ListingDiff> {
    const done = this.#refresh(server, this.#ended.signal)
      .then((diff) => {
        this.#lastListed.set(server, this.#clock.elapsed());
        if (diff.isUnkept) this.again(server);
        else this.#endRetries(server);
        this.#afterRun(server, cause, diff.added.length + diff.updated.length + diff.removed.length > 0);
        return diff;
      })
      .finally(() => this.#running.delete(server));
    this.#running.set(server, done);
    return done;
  }

  #afterRun(server: string, cause: Cause, isNews: boolean): void {
    const pace = this.#paces.get(server);
    const endedAt = this.#clock.elapsed();
    const isStorm = (this.#noticed.get(server) ?? 0) > stormNotices;
    this.#noticed.delete(server);
    const isQuick = isNews || !isStorm;
    const next = isQuick ? spacingMs.first : Math.min((pace?.spacingMs ?? spacingMs.first) * 2, spacingMs.most);
    const isEarly = pace !== undefined && endedAt < pace.endedAt + pace.spacingMs;
    const calmsUsed = isQuick ? 0 : (pace?.calmsUsed ?? 0) + Number(isEarly);
    if (cause !== 'asked') this.#paces.set(server, { endedAt, spacingMs: next, calmsUsed });
    // A server that tells of a change whenever it is listed would otherwise be listed for ever.
    const isEcho = cause === 'follow-up' && !isNews;
    if (this.#outdated.delete(server) && !isEcho) this.#schedule(server, 'follow-up');
  }

  /** A change notice: one refresh for all that come within a short time, and one more for those that come during it. */
  soon(server: string): void {
    this.#noticed.set(server, (this.#noticed.get(server) ?? 0) + 1);
    if (this.#isBelieved(server)) this.#quicken(server);
    this.#lastNotice.set(server, this.#clock.elapsed());
    if (this.#running.has(server)) this.#outdated.add(server);
    else this.#schedule(server, 'notice');
  }

  #schedule(server: string, cause: Cause): void {
    if (this.#notices.has(server) || this.#ended.signal.aborted) return;
    const pace = this.#paces.get(server);
    const leftMs = pace === undefined ? 0 : pace.endedAt + pace.spacingMs - this.#clock.elapsed();
    // After a quiet time a notice is taken at its word again; where calms were believed, only what is true brings that about.
    if (leftMs <= 0 && pace?.calmsUsed === 0) this.#paces.delete(server);
    this.#runAt(server, cause, this.#clock.elapsed() + Math.max(limits.listChangedCoalesceMs, leftMs));
  }

  /** Waits in steps, so that the end of a storm is not waited for longer than the storm. */
  #runAt(server: string, cause: Cause, dueAt: number): void {
    const timer = this.#clock.after(Math.min(dueAt - this.#clock.elapsed(), calmMs), () => {
      if (this.#clock.elapsed() < dueAt && !this.#isBelieved(server)) return this.#runAt(server, cause, dueAt);
      this.#notices.delete(server);
      if (this.#running.has(server)) this.#outdated.add(server);
      else this.#run(server, cause).catch(() => {});
    });
    this.#notices.set(server, timer);
  }

  /** True for a server that has been calm, while it has calms left that count. */
  #isBelieved(server: string): boolean {
    const isCalm = this.#clock.elapsed() - (this.#lastNotice.get(server) ?? 0) >= calmMs;
    return isCalm && (this.#paces.get(server)?.calmsUsed ?? 0) < mostCalms;
  }

  /** Follows a notice after a calm period as quickly as a first one. */
  #quicken(server: string): void {
    const pace = this.#paces.get(server);
    if (pace) this.#paces.set(server, { ...pace, spacingMs: spacingMs.first, calmsUsed: pace.calmsUsed + 1 });
  }

  /** A new link: what it offers is listed, unless the listing that opened it is under way or done. */
  onConnected(server: string, connectedAt: number): void {
    if (this.#running.has(server) || this.#retries.has(server) || this.#ended.signal.aborted) return;
    if ((this.#lastListed.get(server) ?? -1) < connectedAt) this.now(server).catch(() => {});
  }

  /** A server that is connected and still could not be listed is asked again, ever more slowly. */
  again(server: string): void {
    if (this.#ended.signal.aborted) return;
    const count = this.#retries.get(server)?.count ?? 0;
    this.#retries.get(server)?.timer.cancel();
    const steps = limits.breakerOpenStepsMs;
    const timer = this.#clock.after(steps[Math.min(count, steps.length - 1)] ?? 0, () =>
      this.now(server).catch(() => {}),
    );
    this.#retries.set(server, { timer, count: count + 1 });
  }

  #endRetries(server: string): void {
    this.#retries.get(server)?.timer.cancel();
    this.#retries.delete(server);
  }

  /** The first listing of an unknown server, in the background. */
  later(server: string): void {
    if (this.#first.has(server) || this.#ended.signal.aborted) return;
    this.#first.set(server, undefined);
    this.#queue.push(server);
    this.#next();
  }

  isFirst(server: string): boolean {
    return this.#first.has(server);
  }

  /** The same for a server that has just become another one: a listing that is under way was of the old one. */
  laterAgain(server: string): void {
    if (this.#first.has(server) || this.#running.has(server)) this.#replaced.add(server);
    this.later(server);
  }

  /** No listing of this server is wanted any more. */
  forget(server: string): void {
    this.#notices.get(server)?.cancel();
    this.#notices.delete(server);
    this.#endRetries(server);
    this.#lastListed.delete(server);
    this.#paces.delete(server);
    this.#noticed.delete(server);
    this.#lastNotice.delete(server);
    this.#outdated.delete(server);
    this.#replaced.delete(server);
    this.#first.delete(server);
  }

  #next(): void {
    while (this.#firstRunning < limits.firstListConcurrency && !this.#ended.signal.aborted) {
      const server = this.#queue.shift();
      if (server === undefined) return;
      if (!this.#first.has(server)) continue;
      this.#firstRunning += 1;
      this.#first.set(server, this.#clock.elapsed());
      void this.#listFirst(server);
    }
  }

  /** Holds a slot until the listing is done, but not for long: a server that hangs must not keep the others waiting. */
  async #listFirst(server: string): Promise<void> {
    const listing = this.#firstListing(server, () => this.now(server), this.#ended.signal)
      .catch(() => {})
      .finally(() => {
        this.#first.delete(server);
        if (this.#replaced.delete(server)) this.later(server);
      });
    const patience = new AbortController();
    await Promise.race([listing, sleep(this.#clock, limits.listWaitMs, patience.signal).catch(() => {})]);
    patience.abort();
    this.#firstRunning -= 1;
    this.#next();
  }

  /** Resolves when that is enough, or no first listing is outstanding that began less than `maxMs` ago; at the latest after `maxMs`. */
  async settled(maxMs: number, isEnough = () => false): Promise<void> {
    const deadline = this.#clock.elapsed() + maxMs;
    for (;;) {
      const now = this.#clock.elapsed();
      const promising = [...this.#first].filter(([, startedAt]) => startedAt === undefined || now - startedAt < maxMs);
      if (promising.length === 0 || now >= deadline || isEnough()) return;
      const listings = promising.flatMap(([server]) => this.#running.get(server) ?? []);
      const pause = new AbortController();
      await Promise.race([
        ...listings.map((done) =>
          done.then(
            () => {},
            () => {},
          ),
        ),
        sleep(this.#clock, Math.min(50, deadline - now), pause.signal).catch(() => {}),
      ]);
      pause.abort();
    }
  }

  async close(): Promise<void> {
    this.#ended.abort(new Error('The catalog is being closed.'));
    for (const server of [...this.#notices.keys(), ...this.#retries.keys()]) this.forget(server);
    this.#queue.length = 0;
    this.#replaced.clear();
    this.#first.clear();
    await Promise.allSettled(this.#running.values());
  }
}

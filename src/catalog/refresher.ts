/** When servers are listed: at once, soon (change notices, coalesced) or later (first listings, a few at a time). */

import type { Clock, Timer } from '../base/clock.ts';
import { sleep } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import type { ListingDiff } from '../store/store.ts';

/** Least time between two refreshes that change notices bring about, so that a storm of them costs little. */
const noticeSpacingMs = 900;

interface Running {
  readonly done: Promise<ListingDiff>;
  /** When it started, by the wall clock, to know whether a link was there before it. */
  readonly startedAt: number;
}

export class Refresher {
  readonly #clock: Clock;
  readonly #refresh: (server: string, signal: AbortSignal) => Promise<ListingDiff>;
  readonly #ended = new AbortController();
  readonly #running = new Map<string, Running>();
  readonly #notices = new Map<string, Timer>();
  readonly #lastNoticed = new Map<string, number>();
  readonly #lastStarted = new Map<string, number>();
  readonly #queue: string[] = [];
  #first = new Set<string>();
  #firstRunning = 0;

  constructor(clock: Clock, refresh: (server: string, signal: AbortSignal) => Promise<ListingDiff>) {
    this.#clock = clock;
    this.#refresh = refresh;
  }

  /** Starts a refresh, or joins the one that is running. */
  now(server: string): Promise<ListingDiff> {
    const running = this.#running.get(server);
    if (running) return running.done;
    const startedAt = this.#clock.now();
    this.#lastStarted.set(server, startedAt);
    const done = this.#refresh(server, this.#ended.signal).finally(() => this.#running.delete(server));
    this.#running.set(server, { done, startedAt });
    return done;
  }

  /** A change notice: one refresh for all that come within a short time, and one more for those that come during it. */
  soon(server: string): void {
    if (this.#notices.has(server) || this.#ended.signal.aborted) return;
    const last = this.#lastNoticed.get(server) ?? Number.NEGATIVE_INFINITY;
    const waitMs = Math.max(limits.listChangedCoalesceMs, last + noticeSpacingMs - this.#clock.elapsed());
    const timer = this.#clock.after(waitMs, () => {
      this.#notices.delete(server);
      this.#lastNoticed.set(server, this.#clock.elapsed());
      const running = this.#running.get(server)?.done ?? Promise.resolve();
      void running.catch(() => {}).then(() => this.now(server).catch(() => {}));
    });
    this.#notices.set(server, timer);
  }

  /** A new link: what it offers is listed, unless the listing that opened it is already under way. */
  onConnected(server: string, connectedAt: number): void {
    if (this.#running.has(server) || this.#ended.signal.aborted) return;
    if ((this.#lastStarted.get(server) ?? -1) >= connectedAt) return;
    this.now(server).catch(() => {});
  }

  /** The first listing of an unknown server, in the background. */
  later(server: string): void {
    if (this.#first.has(server) || this.#ended.signal.aborted) return;
    this.#first.add(server);
    this.#queue.push(server);
    this.#next();
  }

  #next(): void {
    while (this.#firstRunning < limits.firstListConcurrency && !this.#ended.signal.aborted) {
      const server = this.#queue.shift();
      if (server === undefined) return;
      this.#firstRunning += 1;
      // A server that hangs must not hold a place for long: the next ones start beside it.
      const patience = new AbortController();
      const place = Promise.race([
        this.now(server).catch(() => {}),
        sleep(this.#clock, limits.listWaitMs, patience.signal).catch(() => {}),
      ]);
      void place.then(() => {
        patience.abort();
        this.#firstRunning -= 1;
        this.#next();
      });
      void this.#running
        .get(server)
        ?.done.catch(() => {})
        .then(() => this.#first.delete(server));
    }
  }

  /** Resolves when no first listing is outstanding, or after `maxMs`. */
  async settled(maxMs: number): Promise<void> {
    if (this.#first.size === 0) return;
    const deadline = this.#clock.elapsed() + maxMs;
    while (this.#first.size > 0 && this.#clock.elapsed() < deadline) {
      const waiting = [...this.#first].flatMap((server) => this.#running.get(server)?.done ?? []);
      const pause = sleep(this.#clock, Math.min(50, deadline - this.#clock.elapsed()));
      await Promise.race([
        ...waiting.map((done) =>
          done.then(
            () => {},
            () => {},
          ),
        ),
        pause,
      ]);
    }
  }

  async close(): Promise<void> {
    this.#ended.abort(new Error('The catalog is being closed.'));
    for (const timer of this.#notices.values()) timer.cancel();
    this.#notices.clear();
    this.#queue.length = 0;
    this.#first = new Set();
    await Promise.allSettled([...this.#running.values()].map((running) => running.done));
  }
}

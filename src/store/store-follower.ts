/** Keeps what a layer has in memory in step with the store: reads again what was told to have changed, until that succeeds. */

import type { Clock, Timer } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { StoreEvent } from './record.ts';
import type { StoreChanges, StoreSharing } from './store.ts';

interface FollowerOptions {
  readonly store: StoreChanges & Partial<Pick<StoreSharing, 'unheardSince'>>;
  readonly clock: Clock;
  readonly log: Log;
  /** The subject of what is logged, such as "Tokens and projects". */
  readonly subject: string;
  readonly isMeant: (event: StoreEvent) => boolean;
  /** Gets what was told since it last succeeded; that it throws means that nothing of it was read. */
  readonly read: (told: readonly StoreEvent[]) => Promise<void>;
}

/** After a read that failed. */
const retryMs = 500;

interface Told {
  readonly event: StoreEvent;
  /** Since when it may be so, in monotonic time: a line that was lost tells late. */
  readonly since: number;
}

/** One read at a time: what is told meanwhile is read together, once. */
export class StoreFollower {
  readonly #options: FollowerOptions;
  /** By their text: the same change told twice is read once. */
  readonly #told = new Map<string, Told>();
  /** The events of the read under way. */
  #reads: readonly Told[] = [];
  #isFailing = false;
  #reading: Promise<void> | undefined;
  #retry: Timer | undefined;
  #stop: (() => void) | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** `load` reads everything for the first time: what is told meanwhile is read after it. */
  async open(load: () => Promise<void>): Promise<void> {
    const { store, isMeant } = this.#options;
    this.#stop = store.events.on((event) => {
      if (isMeant(event)) this.#note(event);
    });
    // It begins when this is set: what is told from here on waits for its end.
    this.#reading = Promise.resolve()
      .then(load)
      .finally(() => {
        this.#reading = undefined;
      });
    try {
      await this.#reading;
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#start();
  }

  /** Resolves when nothing is being read. */
  async close(): Promise<void> {
    this.#stop?.();
    this.#stop = undefined;
    this.#told.clear();
    this.#retry?.cancel();
    await this.#reading;
  }

  /** Since when something may have changed that was told and is not read yet, in monotonic time; null: all of it is. */
  get unreadSince(): number | null {
    const since = Math.min(...[...this.#told.values(), ...this.#reads].map((told) => told.since));
    return Number.isFinite(since) ? since : null;
  }

  #note(event: StoreEvent): void {
    const { store, clock } = this.#options;
    const text = JSON.stringify(event);
    const since = Math.min(this.#told.get(text)?.since ?? Infinity, store.unheardSince ?? clock.elapsed());
    this.#told.set(text, { event, since });
    if (this.#retry === undefined) this.#start();
  }

  #start(): void {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
      // Told after the last look and before this.
      if (this.#told.size > 0 && this.#retry === undefined) this.#start();
    });
  }

  async #readAll(): Promise<void> {
    // Changes that are told in one moment are read together.
    await Promise.resolve();
    while (this.#told.size > 0) {
      this.#reads = [...this.#told.values()];
      this.#told.clear();
      try {
        await this.#options.read(this.#reads.map(({ event }) => event));
        this.#isFailing = false;
      } catch (error) {
        return this.#onFailure(error);
      } finally {
        this.#reads = [];
      }
    }
  }

  #onFailure(error: unknown): void {
    if (this.#stop === undefined) return;
    for (const told of this.#reads) this.#told.set(JSON.stringify(told.event), told);
    const { clock, log, subject } = this.#options;
    if (!this.#isFailing) log.warn(`${subject} cannot be read; the last ones stay in use`, { error: messageOf(error) });
    this.#isFailing = true;
    this.#retry = clock.after(retryMs, () => {
      this.#retry = undefined;
      this.#start();
    });
  }
}

/** Keeps what a layer has in memory in step with the store: reads again what was told to have changed, until that succeeds. */

import type { Clock, Timer } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { StoreEvent } from './record.ts';
import type { StoreChanges } from './store.ts';

interface FollowerOptions {
  readonly store: StoreChanges;
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

/** One read at a time: what is told meanwhile is read together, once. */
export class StoreFollower {
  readonly #options: FollowerOptions;
  /** By their text: the same change told twice is read once. */
  readonly #told = new Map<string, StoreEvent>();
  #unreadSince: number | null = null;
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

  /** Since when something was told that is not read yet, in monotonic time; null: all of it is. */
  get unreadSince(): number | null {
    return this.#unreadSince;
  }

  #note(event: StoreEvent): void {
    this.#told.set(JSON.stringify(event), event);
    this.#unreadSince ??= this.#options.clock.elapsed();
    if (this.#retry === undefined) this.#start();
  }

  #start(): void {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
  }

  async #readAll(): Promise<void> {
    const { clock } = this.#options;
    // Changes that are told in one moment are read together.
    await Promise.resolve();
    while (this.#told.size > 0) {
      const told = new Map(this.#told);
      const since = clock.elapsed();
      this.#told.clear();
      try {
        await this.#options.read([...told.values()]);
      } catch (error) {
        this.#onFailure(told, error);
        return;
      }
      this.#isFailing = false;
      this.#unreadSince = this.#told.size > 0 ? since : null;
    }
  }

  #onFailure(told: ReadonlyMap<string, StoreEvent>, error: unknown): void {
    if (this.#stop === undefined) return;
    for (const [text, event] of told) this.#told.set(text, event);
    const { clock, log, subject } = this.#options;
    if (!this.#isFailing) log.warn(`${subject} cannot be read; the last ones stay in use`, { error: messageOf(error) });
    this.#isFailing = true;
    this.#retry = clock.after(retryMs, () => {
      this.#retry = undefined;
      this.#start();
    });
  }
}

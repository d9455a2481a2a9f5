/** Counts calls of other gateways: when the store tells of some and somebody wants to know, and for a small share of the time only. */

import type { Clock, Timer } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';

interface RecountOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Takes over what the store has. */
  readonly count: () => Promise<void>;
}

/** Between two counts: at least this long, and so many times as long as the last one took. */
const leastPauseMs = 1_000;
const pauseTimes = 20;

export class Recount {
  readonly #options: RecountOptions;
  #isDue = false;
  #running: Promise<void> | undefined;
  #notBefore = 0;
  #later: Timer | undefined;
  #isClosed = false;

  constructor(options: RecountOptions) {
    this.#options = options;
  }

  /** There are calls that were not counted. */
  note(): void {
    this.#isDue = true;
  }

  /** Resolves when they are counted; at once where there are none, or where it is too early: then they are counted later. Never rejects. */
  async run(): Promise<void> {
    if (!this.#isDue || this.#isClosed) return this.#running;
    const leftMs = this.#notBefore - this.#options.clock.elapsed();
    if (leftMs > 0) {
      this.#later ??= this.#options.clock.after(leftMs, () => {
        this.#later = undefined;
        void this.run();
      });
      return;
    }
    this.#running ??= this.#count().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#later?.cancel();
    await this.#running;
  }

  async #count(): Promise<void> {
    const { clock, log, count } = this.#options;
    const since = clock.elapsed();
    this.#isDue = false;
    try {
      await count();
    } catch (error) {
      this.#isDue = true;
      log.warn('Calls of other gateways cannot be counted yet', { error: messageOf(error) });
    }
    const now = clock.elapsed();
    this.#notBefore = now + Math.max(leastPauseMs, (now - since) * pauseTimes);
  }
}

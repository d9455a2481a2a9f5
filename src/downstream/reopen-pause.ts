/** The growing pause before something that broke is opened again; cut short by a sign that somebody is there. */

import { type Clock, sleep } from '../base/clock.ts';

export class ReopenPause {
  readonly #clock: Clock;
  #waiting = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves with whether it was cut short; never rejects. */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    const waiting = new AbortController();
    this.#waiting = waiting;
    await sleep(this.#clock, ms, AbortSignal.any([signal, waiting.signal])).catch(() => {});
    return waiting.signal.aborted;
  }

  end(): void {
    this.#waiting.abort();
  }
}

/** Ends a gateway in the background when no agent has been there for a while. */

import type { Clock, Timer } from '../../base/clock.ts';

export class IdleExit {
  /** Resolves when nobody was there for the whole time. */
  readonly isOver: Promise<void>;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #end: () => void;
  #timer: Timer | undefined;

  constructor(idleMs: number, clock: Clock) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.isOver = promise;
    this.#end = resolve;
    this.#idleMs = idleMs;
    this.#clock = clock;
  }

  /** With the usual time unless another is given. */
  static async forBackground(idleMs: number | undefined, clock: Clock): Promise<IdleExit> {
    const { limits } = await import('../../config/config.ts');
    return new IdleExit(idleMs ?? limits.backgroundIdleExitMs, clock);
  }

  /** Told how many agents there are; the time runs anew whenever there are none. */
  agents(count: number): void {
    this.#timer?.cancel();
    this.#timer = count === 0 ? this.#clock.after(this.#idleMs, this.#end) : undefined;
  }
}

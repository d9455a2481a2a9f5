/** Says once that something outside fails, and once that it works again; meanwhile it is asked ever more rarely. */

import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';

/** How long a failing service is left alone: the first time, and at most. */
const restMs = { first: 30_000, most: 300_000 };

export class FaultNotice {
  readonly #clock: Clock;
  /** How the failing thing is called; null while it works. */
  #what: string | null = null;
  #problem: string | null = null;
  #restMs = 0;
  #restsUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From the first failure until it has worked again. */
  get isFailing(): boolean {
    return this.#what !== null;
  }

  /** How it failed last; null while it works. */
  get problem(): string | null {
    return this.#problem;
  }

  /** True while it should not be asked at all. */
  get isResting(): boolean {
    return this.isFailing && this.#clock.elapsed() < this.#restsUntil;
  }

  /** A sentence the first time, then null until it has worked again. `what` begins a sentence: `The embedding service`. */
  failed(what: string, error: unknown): string | null {
    // Several queries that were under way together fail together: that is one failure.
    if (!this.isResting) this.#rest();
    this.#problem = `${what} cannot be used for now: ${messageOf(error)}`;
    if (this.isFailing) return null;
    this.#what = what;
    return this.#problem;
  }

  /** A sentence if it had failed before. */
  worked(): string | null {
    const what = this.#what;
    this.#what = null;
    this.#problem = null;
    this.#restMs = 0;
    return what === null ? null : `${what} answers again.`;
  }

  #rest(): void {
    this.#restMs = this.#restMs === 0 ? restMs.first : Math.min(this.#restMs * 2, restMs.most);
    this.#restsUntil = this.#clock.elapsed() + this.#restMs;
  }
}

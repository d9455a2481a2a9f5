/** Pauses between attempts: a circuit breaker that heals by itself, and the pause before something that broke is opened again. */

import { type Clock, sleep } from '../base/clock.ts';
import { limits } from '../config/config.ts';

export class Breaker {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #openUntil = 0;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** How long it stays open from now; 0 when an attempt may be made. */
  get remainingMs(): number {
    return this.#failures === 0 ? 0 : Math.max(0, this.#openUntil - this.#clock.elapsed());
  }

  /** True while it is not known whether the server is back: then one attempt is made, without retries. */
  get isHalfOpen(): boolean {
    return this.#failures > 0 && this.remainingMs === 0;
  }

  /** True from the first failure until the next success. */
  get isTripped(): boolean {
    return this.#failures > 0;
  }

  /** The next attempt may be made now. */
  hurry(): void {
    this.#openUntil = 0;
  }

  succeed(): void {
    this.#failures = 0;
  }

  /** Opens for the next, longer step. `atLeastMs`: what the server itself asked us to wait. */
  fail(atLeastMs = 0): void {
    const steps = limits.breakerOpenStepsMs;
    const step = steps[Math.min(this.#failures, steps.length - 1)] ?? 0;
    this.#failures += 1;
    this.#openUntil = this.#clock.elapsed() + Math.max(jittered(step, this.#random), atLeastMs);
  }
}

/** Varies a wait by the configured share in both directions, so that many servers do not come back in step. */
export function jittered(ms: number, random: () => number): number {
  return Math.round(ms * (1 + limits.retryJitter * (2 * random() - 1)));
}

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

/** The share of the event loop that requests of programs get: after a few milliseconds of them, everybody else comes first. */

import type { Clock } from '../base/clock.ts';
import { limits as named } from '../config/config.ts';

export class TurnPace {
  readonly #clock: Clock;
  /** Callers that found no time left, in the order in which they get some. */
  readonly #waiting = new Set<() => void>();
  /** When the present turn began; undefined until somebody wants something of it. */
  #since: number | undefined;
  #isResuming = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if something can be begun now; else `resume` is called in a later turn of the loop. */
  hasTime(resume: () => void): boolean {
    if (this.#since === undefined) {
      this.#since = this.#clock.elapsed();
      setImmediate(() => this.#nextTurn());
    }
    const isFirst = this.#isResuming || this.#waiting.size === 0;
    if (isFirst && this.#isWithin) return true;
    this.#waiting.add(resume);
    return false;
  }

  get #isWithin(): boolean {
    return this.#since === undefined || this.#clock.elapsed() - this.#since < named.chainTurnMs;
  }

  #nextTurn(): void {
    this.#since = undefined;
    this.#resumeNext();
  }

  /** One of those who wait after the other: who wants to begin more than one thing waits behind the others again. */
  #resumeNext(): void {
    const [resume] = this.#waiting;
    if (resume === undefined || !this.#isWithin) return;
    this.#waiting.delete(resume);
    this.#isResuming = true;
    resume();
    this.#isResuming = false;
    afterThis(() => this.#resumeNext());
  }
}

/** Runs when all has been done that what was just begun does at once. */
export function afterThis(act: () => void): void {
  queueMicrotask(() => process.nextTick(act));
}

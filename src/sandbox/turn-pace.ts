/** Limits the share of the event loop that requests of programs get: after a few milliseconds of them, all other work comes first. */

import type { Clock } from '../base/clock.ts';
import { limits as named } from '../config/config.ts';

export class TurnPace {
  readonly #clock: Clock;
  /** Callers that found no time left, in the order in which they get some. */
  readonly #waiting = new Set<() => void>();
  /** The start of the present turn; undefined until somebody asks for time in it. */
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

  /** Resumes waiting callers in turn; one that wants to begin more goes to the end of the line. */
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

/** Runs after all synchronous work of the task that was just begun. */
export function afterThis(act: () => void): void {
  queueMicrotask(() => process.nextTick(act));
}

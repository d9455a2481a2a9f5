/** The real clock, which a test can put forward: for rests that no test should sit out. */

import { type Clock, systemClock } from '../../src/base/clock.ts';

export class ShiftedClock implements Clock {
  #shiftMs = 0;
  readonly #dateMs: number;

  /** `date`: the wall clock at the beginning; left out, it is right. */
  constructor(date = systemClock.now()) {
    this.#dateMs = date - systemClock.now();
  }

  now(): number {
    return systemClock.now() + this.#dateMs + this.#shiftMs;
  }

  elapsed(): number {
    return systemClock.elapsed() + this.#shiftMs;
  }

  /** Waits in real time: what is due later than that is not run earlier by a shift. */
  after: Clock['after'] = (ms, act) => systemClock.after(ms, act);

  shift(ms: number): void {
    this.#shiftMs += ms;
  }
}

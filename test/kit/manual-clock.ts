/** A clock that moves only when a test moves it. */

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock, Timer } from '../../src/base/clock.ts';
import { HANG_MS } from './processes.ts';

interface Waiting {
  readonly at: number;
  readonly act: () => void;
}

export class ManualClock implements Clock {
  readonly #epoch: number;
  readonly #timers = new Set<Waiting>();
  #elapsed = 0;

  constructor(epoch = Date.UTC(2026, 0, 1)) {
    this.#epoch = epoch;
  }

  now(): number {
    return this.#epoch + this.#elapsed;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  after(ms: number, act: () => void): Timer {
    const waiting = { at: this.#elapsed + ms, act };
    this.#timers.add(waiting);
    return { cancel: () => this.#timers.delete(waiting) };
  }

  /** How long each timer still has to wait, the nearest first. */
  get waits(): number[] {
    return [...this.#timers].map(({ at }) => at - this.#elapsed).sort((a, b) => a - b);
  }

  /** Resolves once something waits for exactly so long from now on: the sign that it got that far. */
  async awaited(ms: number): Promise<void> {
    const hangsAt = performance.now() + HANG_MS;
    while (!this.waits.some((wait) => Math.abs(wait - ms) < 1)) {
      assert.ok(performance.now() < hangsAt, `nothing waits for ${ms} ms; waits: ${this.waits.join(', ')}`);
      await turn();
    }
  }

  /** Moves time on, firing what falls due in order; what that sets off in other turns gets a few of them each time. */
  async advance(ms: number): Promise<void> {
    await settled();
    const end = this.#elapsed + ms;
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.act();
      await settled();
    }
    this.#elapsed = end;
    await settled();
  }
}

/** Lets everything that is ready run. */
async function settled(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await turn();
}

/** The real clock, whose waits a test can end: for limits that no test should sit out. */

import { type Clock, systemClock, type Timer } from '../../src/base/clock.ts';
import { eventually } from './processes.ts';

export class HastenedClock implements Clock {
  readonly #waits = new Map<Timer, { readonly ms: number; readonly act: () => void }>();

  now = systemClock.now;
  elapsed = systemClock.elapsed;

  after(ms: number, act: () => void): Timer {
    const inner = systemClock.after(ms, () => this.#end(timer));
    const timer: Timer = {
      cancel: () => {
        inner.cancel();
        this.#waits.delete(timer);
      },
    };
    this.#waits.set(timer, { ms, act });
    return timer;
  }

  /** Resolves when something waits for exactly this time. */
  awaited(ms: number): Promise<true> {
    return eventually(`something waits for ${ms} ms`, async () => this.#due(ms).length > 0 || undefined);
  }

  /** Ends every wait that was begun for exactly so long; says how many there were. */
  hasten(ms: number): number {
    const due = this.#due(ms);
    for (const timer of due) this.#end(timer);
    return due.length;
  }

  #due(ms: number): Timer[] {
    return [...this.#waits].flatMap(([timer, wait]) => (wait.ms === ms ? timer : []));
  }

  #end(timer: Timer): void {
    const wait = this.#waits.get(timer);
    timer.cancel();
    wait?.act();
  }
}

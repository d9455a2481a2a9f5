/** Marks that hold for a while; bounded: the oldest makes room. */

import type { Clock } from '../base/clock.ts';

export class ApprovalMarks {
  readonly #clock: Clock;
  readonly #most: number;
  /** Until when each holds, on the monotonic clock. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  add(mark: string, ms: number): void {
    this.#until.delete(mark);
    this.#until.set(mark, this.#clock.elapsed() + ms);
    if (this.#until.size > this.#most) this.#makeRoom();
  }

  has(mark: string): boolean {
    const until = this.#until.get(mark);
    if (until === undefined) return false;
    if (until > this.#clock.elapsed()) return true;
    this.#until.delete(mark);
    return false;
  }

  /** True once for each time that it was added. */
  take(mark: string): boolean {
    return this.has(mark) && this.#until.delete(mark);
  }

  /** Forgets every mark that begins like this. */
  removeAll(beginning: string): void {
    for (const mark of this.#until.keys()) if (mark.startsWith(beginning)) this.#until.delete(mark);
  }

  #makeRoom(): void {
    const now = this.#clock.elapsed();
    for (const [mark, until] of this.#until) if (until <= now) this.#until.delete(mark);
    for (const mark of this.#until.keys()) {
      if (this.#until.size <= this.#most) return;
      this.#until.delete(mark);
    }
  }
}

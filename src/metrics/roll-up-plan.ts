/** Has calls rolled up now and then: when many wait for it, and once an hour in any case, because old ones are to go. Of several replicas, one does it. */

import type { Clock, Timer } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { CallStore, Replicas, RollUpReport } from '../store/store.ts';

/** Every question reads the calls that are not rolled up, so there should not be many. */
export const rollUpAtCalls = 5_000;
export const rollUpEveryMs = 60 * 60 * 1_000;
/** With replicas: nobody knows how many calls the others have written. */
export const sharedRollUpEveryMs = 60 * 1_000;
/** A gateway that has just started has better things to do. */
export const firstRollUpMs = 60 * 1_000;
/** The least time between two, however many calls there are and whether it works or not. */
export const leastPauseMs = 15 * 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

interface RollUpPlanOptions {
  readonly store: Pick<CallStore, 'rollUpCalls'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly retentionDays: () => number;
  readonly replicas: Pick<Replicas, 'hasUpkeep' | 'isShared'>;
}

export class RollUpPlan {
  readonly #options: RollUpPlanOptions;
  #unrolled = 0;
  /** Calls that were written since the one under way began. */
  #meanwhile = 0;
  /** Something is left to be removed that the one under way may have passed already. */
  #isOwed = false;
  #timer: Timer | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #running: Promise<RollUpReport> | undefined;
  /** `clock.elapsed()` when the last one ended. */
  #endedAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;
  #isClosed = false;

  constructor(options: RollUpPlanOptions) {
    this.#options = options;
  }

  /** Calls that are not rolled up yet. */
  get unrolled(): number {
    return this.#unrolled;
  }

  open(unrolled: number): void {
    this.#unrolled = unrolled;
    if (unrolled >= rollUpAtCalls) this.runSoon();
    else this.#runAfter(firstRollUpMs);
  }

  noteWritten(count: number): void {
    this.#unrolled += count;
    this.#meanwhile += count;
    if (this.#unrolled >= rollUpAtCalls) this.runSoon();
  }

  /** `count` of the calls that are not rolled up yet are gone; the rows of the others are still to be removed. */
  noteForgotten(count: number): void {
    this.#unrolled = Math.max(0, this.#unrolled - count);
    this.#meanwhile = Math.max(0, this.#meanwhile - count);
    this.#isOwed = this.#running !== undefined;
    this.runSoon();
  }

  /** As soon as the last one is long enough ago. Nobody waits for it, so trouble is only logged. */
  runSoon(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    const waitMs = this.#endedAt + leastPauseMs - this.#options.clock.elapsed();
    if (waitMs > 0) this.#runAfter(waitMs);
    else this.#runByItself();
  }

  /** Joins one that is under way. */
  run(): Promise<RollUpReport> {
    this.#running ??= this.#run();
    return this.#running;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** Never later than was planned before. */
  #runAfter(ms: number): void {
    const dueAt = this.#options.clock.elapsed() + ms;
    if (this.#isClosed || dueAt >= this.#dueAt) return;
    this.#timer?.cancel();
    this.#dueAt = dueAt;
    this.#timer = this.#options.clock.after(ms, () => this.#runByItself());
  }

  #runByItself(): void {
    const { replicas, clock } = this.#options;
    if (replicas.hasUpkeep) return void this.run().catch(() => {});
    // Another gateway adds them up.
    this.#unrolled = 0;
    this.#timer?.cancel();
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#endedAt = clock.elapsed();
    this.#runAfter(sharedRollUpEveryMs);
  }

  async #run(): Promise<RollUpReport> {
    const { store, clock, log, retentionDays } = this.#options;
    this.#timer?.cancel();
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#meanwhile = 0;
    this.#isOwed = false;
    try {
      const now = clock.now();
      const report = await store.rollUpCalls({ now, expireBefore: now - retentionDays() * dayMs });
      // Not less those that were rolled up: calls that were forgotten are gone without that.
      this.#unrolled = report.left + this.#meanwhile;
      this.#isFailing = false;
      return report;
    } catch (error) {
      if (!this.#isFailing && !this.#isClosed)
        log.warn('Calls could not be added up; this is tried again', { error: messageOf(error) });
      this.#isFailing = true;
      throw error;
    } finally {
      this.#running = undefined;
      this.#endedAt = clock.elapsed();
      this.#runAfter(this.#options.replicas.isShared ? sharedRollUpEveryMs : rollUpEveryMs);
      if (this.#isOwed || this.#unrolled >= rollUpAtCalls) this.runSoon();
    }
  }
}

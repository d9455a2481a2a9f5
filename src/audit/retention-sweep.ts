/** Removes what is older or more than is to be kept, now and then and a little at a time. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Clock, Timer } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { AuditRemoval, AuditStore } from '../store/store.ts';

/** Not at once: a machine that has just woken up may have its clock wrong. */
export const firstSweepMs = 10 * 60 * 1_000;
export const sweepEveryMs = 60 * 60 * 1_000;
const dayMs = 24 * 60 * 60 * 1_000;
/** By what share the number of records may be passed before it is looked at out of turn. */
const overrun = 0.1;

interface RetentionSweepOptions {
  readonly store: Pick<AuditStore, 'removeAudit' | 'removeAuditUpto' | 'lastAudit'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly retentionDays: () => number;
  readonly mostRecords: () => number;
  /** Records had to go before their time. */
  readonly onTrimmed: (count: number) => void;
}

export class RetentionSweep {
  readonly #options: RetentionSweepOptions;
  #timer: Timer | undefined;
  #isClosed = false;
  #isFailing = false;
  #isRunning = false;
  #writtenSince = 0;

  constructor(options: RetentionSweepOptions) {
    this.#options = options;
  }

  open(): void {
    this.#timer ??= this.#options.clock.after(firstSweepMs, () => void this.run());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** One more was written. */
  noteWritten(): void {
    this.#writtenSince += 1;
    if (this.#writtenSince > this.#options.mostRecords() * overrun) void this.run();
  }

  /** Says how many records were removed. Never rejects: what is left is removed the next time. */
  async run(): Promise<number> {
    if (this.#isRunning || this.#isClosed) return 0;
    this.#isRunning = true;
    this.#writtenSince = 0;
    const { clock, log } = this.#options;
    let removed = 0;
    try {
      removed = (await this.#removeOld()) + (await this.#trim());
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isClosed)
        log.warn('Old records of the audit could not be removed; this is tried again', { error: messageOf(error) });
      this.#isFailing = true;
    }
    this.#isRunning = false;
    this.#timer?.cancel();
    if (!this.#isClosed) this.#timer = clock.after(sweepEveryMs, () => void this.run());
    return removed;
  }

  async #removeOld(): Promise<number> {
    const { store, clock, retentionDays } = this.#options;
    const before = Math.floor(clock.now() - retentionDays() * dayMs);
    let removed = 0;
    for (let after: number | null = 0; after !== null && !this.#isClosed; await giveWay()) {
      const step: AuditRemoval = await store.removeAudit(before, after);
      removed += step.removed;
      after = step.next;
    }
    return removed;
  }

  /** Ids are given one after the other, so that they tell how many records there are at most. */
  async #trim(): Promise<number> {
    const { store, log, mostRecords, onTrimmed } = this.#options;
    const most = mostRecords();
    const upto = (await store.lastAudit()) - most;
    let removed = 0;
    for (let step = upto > 0 ? 1 : 0; step > 0 && !this.#isClosed; await giveWay()) {
      step = await store.removeAuditUpto(upto);
      removed += step;
    }
    if (removed > 0) {
      log.warn('The audit had too many records: the oldest were removed', { removed, most });
      onTrimmed(removed);
    }
    return removed;
  }
}

/** Waits for a database that another process has locked, without blocking the event loop: SQLite's own busy wait would. */

import { type Clock, sleep } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { isBusy } from './sqlite-errors.ts';

/** How long an operation may wait in all, from the moment it was asked for. */
export const busyLimitMs = 10_000;
const firstWaitMs = 5;
const longestWaitMs = 200;

interface BusyWait {
  readonly file: string;
  readonly clock: Clock;
  /** `clock.elapsed()` at the moment the operation was asked for. */
  readonly since: number;
}

/** Tries at least once, so that a wait in a queue alone never fails an operation. */
export async function retryBusy<T>(wait: BusyWait, act: () => Promise<T>): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await act();
    } catch (error) {
      if (!isBusy(error)) throw error;
      const leftMs = wait.since + busyLimitMs - wait.clock.elapsed();
      if (leftMs <= 0) throw busyStore(wait.file, error);
      await sleepAwake(wait.clock, Math.min(waitMs, leftMs));
    }
  }
}

function busyStore(file: string, cause: unknown): GatewayError {
  const seconds = busyLimitMs / 1000;
  return new GatewayError('STORE_BUSY', `The store ${file} was locked by another process for ${seconds} seconds.`, {
    hint: 'Find the process that holds the file open, such as a database browser or a backup, and end its transaction.',
    cause,
    data: { file },
  });
}

const longestTimerMs = 2 ** 31 - 1;

export async function sleepAwake(clock: Clock, ms: number): Promise<void> {
  const awake = setTimeout(() => {}, longestTimerMs);
  try {
    await sleep(clock, ms);
  } finally {
    clearTimeout(awake);
  }
}

/** Waits while the store is away for a moment, so that a job loses neither its state nor an answer that was paid. */

import { type Clock, sleep } from '../base/clock.ts';
import { isStoreAway, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { isTermOver } from '../store/store.ts';

interface StoreWait {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Between two attempts while the store fails. */
const retryMs = 1_000;

/**
 * Acts again until the store answers. `act` must do no harm if it is done twice: the answer to one that was done may get lost.
 * Rejects with the signal's reason, and at once where the turn is over.
 */
export async function untilStoreAnswers<T>(act: () => Promise<T>, wait: StoreWait): Promise<T> {
  for (let isSaid = false; ; isSaid = true) {
    try {
      return await act();
    } catch (error) {
      if (!isStoreAway(error) || isTermOver(error)) throw error;
      await waitForStore(error, wait, isSaid);
    }
  }
}

/** `isSaid`: not again in the log. */
export async function waitForStore(error: unknown, { clock, log, signal }: StoreWait, isSaid = false): Promise<void> {
  signal.throwIfAborted();
  if (!isSaid) log.warn('Jobs of the optimizer wait for the store', { error: messageOf(error) });
  await sleep(clock, retryMs, signal);
}

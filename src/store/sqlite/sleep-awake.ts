/** A sleep that keeps the process alive, for work that was accepted: the clock's own timers let the process end. */

import { type Clock, sleep } from '../../base/clock.ts';

const longestTimerMs = 2 ** 31 - 1;

export async function sleepAwake(clock: Clock, ms: number): Promise<void> {
  const awake = setTimeout(() => {}, longestTimerMs);
  try {
    await sleep(clock, ms);
  } finally {
    clearTimeout(awake);
  }
}

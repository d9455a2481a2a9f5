/** Ends the gateway that a bridge has started in the background on a data folder. */

import { setTimeout as pause } from 'node:timers/promises';
import { readLock } from '../../../src/store/lock/lock.ts';

/** Resolves when nobody holds the folder any more. */
export async function stopBackground(dataDir: string, limitMs = 20_000): Promise<void> {
  const until = performance.now() + limitMs;
  const holder = await readLock(dataDir);
  if (holder === null) return;
  process.kill(holder.pid, 'SIGTERM');
  while ((await readLock(dataDir)) !== null) {
    if (performance.now() > until) throw new Error(`The gateway ${holder.pid} does not end.`);
    await pause(20);
  }
}

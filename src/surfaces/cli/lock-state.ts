/** Which gateway has the data folder, seen from outside. */

import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '../../base/errors.ts';
import type { LockHolder } from '../../store/store.ts';

/** A gateway that can be spoken to. */
export interface ReachableHolder extends LockHolder {
  readonly url: string;
}

/** How long somebody who holds the folder without a URL is waited for: a gateway that starts, or another command at work. */
const patienceMs = 20_000;
const lookAgainMs = 50;

/** The gateway that holds the folder, once it has said where it listens; null when nobody holds it. Throws DATA_LOCKED. */
export async function settledHolder(dataDir: string, signal?: AbortSignal): Promise<ReachableHolder | null> {
  const { readLock } = await import('../../store/lock/lock.ts');
  const until = performance.now() + patienceMs;
  for (;;) {
    const holder = await readLock(dataDir);
    if (holder === null) return null;
    if (isReachable(holder)) return holder;
    if (performance.now() > until) throw stillBusy(dataDir, holder);
    await pause(lookAgainMs, undefined, signal ? { signal } : {});
  }
}

/** A gateway that is ending holds its folder while it no longer answers; it gets this long to go. */
const endingMs = 3_000;
const probeMs = 2_000;

/** Like `settledHolder`, but one that is about to go is waited out. What answers nothing for longer is returned as it is. */
export async function readyHolder(dataDir: string, signal: AbortSignal): Promise<ReachableHolder | null> {
  const until = performance.now() + endingMs;
  for (;;) {
    const holder = await settledHolder(dataDir, signal);
    if (holder === null || (await isReady(holder.url)) || performance.now() > until) return holder;
    await pause(lookAgainMs, undefined, { signal });
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(probeMs), redirect: 'error' });
    await response.body?.cancel();
    // One that cannot save anything says no as well, and can be asked all the same.
    return response.ok || (response.status === 503 && response.headers.get('retry-after') === null);
  } catch {
    return false;
  }
}

export function isReachable(holder: LockHolder): holder is ReachableHolder {
  return holder.url !== null;
}

/** True for a folder that somebody took between looking and taking, at least as long as that may go on. */
export function isTakenSince(startedMs: number, error: unknown): boolean {
  const isTaken = error instanceof GatewayError && error.code === 'DATA_LOCKED';
  return isTaken && performance.now() - startedMs < patienceMs;
}

function stillBusy(dataDir: string, holder: LockHolder): GatewayError {
  return new GatewayError('DATA_LOCKED', `Process ${holder.pid} is using the data folder ${dataDir}.`, {
    hint: 'Wait until it has finished, end it, or choose another folder with --data.',
  });
}

/** Time as a dependency: everything that waits takes a `Clock`, so that tests can move it. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Wall time in milliseconds since the epoch, for what people read and for what is stored. */
  now(): number;
  /** Monotonic milliseconds, for deadlines and durations: a clock change must not move them. */
  elapsed(): number;
  /** Runs `act` once, when `elapsed` has grown by `ms` or more. A pending timer never keeps the process alive. */
  after(ms: number, act: () => void): Timer;
}

/** Beyond this Node's timers fire at once instead. */
const longestWaitMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, act) {
    // Node counts whole milliseconds and cuts off fractions, of the wait and of the time that it starts at: alone it is up to 2 ms early.
    const timer = setTimeout(act, Math.min(Math.ceil(ms) + 1, longestWaitMs));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The promise, or the signal's reason as soon as it aborts; the promise itself goes on for others. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    // Its failure is also handled where nobody waits for it any more.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Rejects with the signal's reason, or with what `late` makes once the time is over; `act` hears of either by its signal. */
export async function inTime<T>(
  act: (signal: AbortSignal) => Promise<T>,
  { clock, timeoutMs, signal }: { readonly clock: Clock; readonly timeoutMs: number; readonly signal: AbortSignal },
  late = () => new Error(`No answer within ${timeoutMs} ms.`),
): Promise<T> {
  const ending = new AbortController();
  const timer = clock.after(timeoutMs, () => ending.abort(late()));
  const within = AbortSignal.any([signal, ending.signal]);
  try {
    return await abortable(act(within), within);
  } finally {
    timer.cancel();
  }
}

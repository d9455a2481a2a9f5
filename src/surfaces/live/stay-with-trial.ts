/** Stays with a trial as long as somebody looks at it. */

import type { InputOf, OutputOf } from '../../admin/admin.ts';

interface TrialStay {
  /** Asks the gateway. Cutting the request ends the trial. */
  readonly ask: (input: InputOf<'servers.stay'>, signal: AbortSignal) => Promise<OutputOf<'servers.stay'>>;
  /** Called when the trial ended by itself, or with the connection to the gateway. */
  readonly onEnd: () => void;
}

/** Returns the function that ends the trial, once nobody looks. */
export function stayWithTrial({ name, trial }: InputOf<'servers.stay'>, { ask, onEnd }: TrialStay): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  const stay = async () => {
    while (!signal.aborted) {
      // An unreachable gateway has lost us, too, and ends the trial.
      const { isOpen } = await ask({ name, trial }, signal).catch(() => ({ isOpen: false }));
      if (!isOpen && !signal.aborted) return onEnd();
    }
  };
  void stay();
  return () => leaving.abort();
}

/** Stays with a server that is tried out, for as long as it is shown to somebody. */

import type { InputOf, OutputOf } from '../../admin/admin.ts';

interface TrialStay {
  /** Asks the gateway; a request that is cut ends the trial. */
  readonly ask: (input: InputOf<'servers.stay'>, signal: AbortSignal) => Promise<OutputOf<'servers.stay'>>;
  /** The trial has ended by itself, or with the connection to the gateway. */
  readonly onEnd: () => void;
}

/** Returns the function that ends it: nobody looks any more. */
export function stayWithTrial({ name, trial }: InputOf<'servers.stay'>, { ask, onEnd }: TrialStay): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  const stay = async () => {
    while (!signal.aborted) {
      // A gateway that cannot be asked has lost us, too, and ends the trial.
      const { isOpen } = await ask({ name, trial }, signal).catch(() => ({ isOpen: false }));
      if (!isOpen && !signal.aborted) return onEnd();
    }
  };
  void stay();
  return () => leaving.abort();
}

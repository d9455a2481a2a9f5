/** Looks once more at a call that had to wait, for a listing or for its turn: by then its tool may be another one. */

import { changedMeanwhile } from './ask-owner-trouble.ts';
import { checkAuthorized } from './authorize-call.ts';
import type { Call } from './call.ts';
import { checkedCall } from './validate-arguments.ts';

/** Throws where it may not be made any more, or does not fit the tool as it is now. */
export function checkAgain(call: Call): void {
  const { permission, hold, definition, fingerprint } = call.standing();
  checkAuthorized({ ...call, permission, hold });
  // Nobody was asked yet.
  if (permission === 'ask' && call.permission !== 'ask') throw changedMeanwhile(call);
  if (fingerprint === call.fingerprint) return;
  // Somebody approved the call of the tool that it was.
  if (call.permission === 'ask') throw changedMeanwhile(call);
  if (call.way === 'plain') return;
  const checked = checkedCall({ ...call, definition, isRenewed: true });
  // Its arguments fit only when they are corrected, and headers were made of them as they are.
  if (checked.params !== call.params) throw changedMeanwhile(call);
}

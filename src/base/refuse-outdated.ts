/** Refuses a change of something that is no longer as its sender saw it: nobody undoes unseen what somebody else did meanwhile. */

import { GatewayError } from './errors.ts';
import { fingerprintOf } from './ids.ts';

/** `seen`: undefined where the sender means whatever is there. Throws USAGE. */
export function refuseOutdated(what: string, seen: unknown, now: unknown): void {
  if (seen === undefined || fingerprintOf(seen) === fingerprintOf(now)) return;
  throw new GatewayError('USAGE', `${what} changed since you opened it; nothing was saved.`, {
    hint: 'Look at it as it is now, then repeat your change.',
  });
}

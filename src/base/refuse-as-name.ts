/** Refuses a secret that somebody gives to a thing as its name, which would stand in every list and record. */

import { GatewayError } from './errors.ts';
import { maskName } from './redact.ts';

/** Throws USAGE. `kind`: what gets the name. The text is not repeated. */
export function refuseAsName(kind: string, text: string): void {
  if (maskName(text) === text) return;
  throw new GatewayError('USAGE', `The name for the ${kind} reads like a secret, so it was not used.`, {
    hint: 'Names are shown and recorded in plain text: choose another one.',
  });
}

/** What of a server's offers is not to be used: held back until it is approved, or other than what was approved. */

import { GatewayError } from '../base/errors.ts';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import { inWords } from '../trust/trust.ts';
import { matchesTemplate } from './match-template.ts';

export type OfferKind = 'resource' | 'prompt';

/** `name`: a URI or the name of a prompt, as the server knows it. True: it does not exist for anybody. Throws where it changed. */
export function isHeldBack(server: ServerEntry, kind: OfferKind, name: string): boolean {
  const { heldOffers } = server;
  if (heldOffers[kind].has(name)) return true;
  const listed = (kind === 'prompt' ? server.prompts : server.resources).find((entry) => entry.name === name);
  if (listed) return refuseChanged(listed);
  if (kind === 'prompt') return false;
  const fits = (template: string) => template === name || matchesTemplate(template, name);
  const [open = [], onHold = []] = [false, true].map((isOnHold) =>
    server.templates.filter((entry) => (entry.hold !== undefined) === isOnHold && fits(entry.name)),
  );
  if (open.length > 0) return false;
  if (onHold[0]) return refuseChanged(onHold[0]);
  return [...heldOffers.template].some(fits);
}

function refuseChanged({ key, server, hold }: Entry): false {
  if (!hold) return false;
  throw new GatewayError('APPROVAL_NEEDED', `"${key}" changed since it was approved (${inWords(hold.reasons)}).`, {
    hint: `Its owner sees what changed with "toolcrib review ${server}".`,
  });
}

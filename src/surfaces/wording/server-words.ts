/** Words about servers. */

import type { LiveServer, RefreshOutcome, ServerDetails, StartedSignIn } from '../../admin/admin.ts';
import { printable } from '../../base/text.ts';

const passing: ReadonlySet<string> = new Set(['installing', 'connecting', 'listing']);

/** True for states that end by themselves. */
export function isPassing(state: string): boolean {
  return passing.has(state);
}

/** Definitions that agents cannot use until the owner has decided. */
export function waitingIn({ heldCount, changedCount }: Pick<LiveServer, 'heldCount' | 'changedCount'>): number {
  return heldCount + changedCount;
}

/** `stdio, modern`. */
export function connectionInWords({ transport, era }: Pick<LiveServer, 'transport' | 'era'>): string {
  return era === null ? transport : `${transport}, ${era}`;
}

/** Without the name of the server, which stands before it. */
export function lastErrorOf({ name, lastError }: Pick<LiveServer, 'name' | 'lastError'>): string {
  const prefix = `Server "${name}" `;
  return lastError?.startsWith(prefix) ? lastError.slice(prefix.length) : (lastError ?? '');
}

/** Why its settings cannot be changed on a surface, and where they can; null: they can be. */
export function whyFixed({ origin, place }: Pick<ServerDetails, 'origin' | 'place'>): string | null {
  if (origin === 'store') return null;
  return place === null
    ? 'This server exists for this run only, so its settings cannot be kept. A project can set permissions for its tools.'
    : `This server is in the config file. Change its settings there: ${place}`;
}

export function refreshInWords({ added, updated, removed, unchanged }: RefreshOutcome): string {
  return `${added.length} added, ${updated.length} changed, ${removed.length} removed, ${unchanged} unchanged.`;
}

/** A person sees who asks for a password, but not on whose behalf: that they differ may be right, or a trap. */
export function warnOfDetour({ name, address, issuer }: Pick<StartedSignIn, 'name' | 'address' | 'issuer'>) {
  const [page, receiver] = [URL.parse(address)?.host, URL.parse(issuer)?.host];
  if (page === undefined || receiver === undefined || page === receiver) return undefined;
  return [
    `Take care: the page is at ${printable(page)}, but what you grant there goes to ${printable(receiver)},`,
    `which the server ${printable(name)} names. Continue only if you know that the two belong together.`,
  ].join('\n');
}

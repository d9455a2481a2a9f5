/** A token cannot give what it does not have: what is wished for a new one, held within the rights of who makes it. */

import { type AccessBook, isAmong, type Principal, type Scope } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';

export interface Rights {
  readonly scopes: readonly Scope[];
  /** Names with wildcards; null: all servers. */
  readonly servers: readonly string[] | null;
  readonly project: string | null;
  readonly expiresAt: number | null;
}

/** A right without a limit gets the limit of the giver; a right beyond it is refused, so that nobody is surprised later. */
export function withinOwnRights(wish: Rights, giver: Principal, access: Pick<AccessBook, 'termsOf'>): Rights {
  const { servers: own } = giver;
  const { project, expiresAt } = access.termsOf(giver);
  for (const scope of wish.scopes) if (!giver.scopes.has(scope)) throw tooMuch(`the scope "${scope}"`);
  // A name with wildcards fits into another one exactly where that one fits it as it is written.
  const outside = own && wish.servers?.find((pattern) => !isAmong(own, pattern));
  if (outside !== undefined) throw tooMuch(`servers beyond "${own?.join('", "')}", such as "${outside}"`);
  if (project !== null && wish.project !== null && wish.project !== project)
    throw tooMuch(`another project than its own, "${project}"`);
  if (expiresAt !== null && wish.expiresAt !== null && wish.expiresAt > expiresAt)
    throw tooMuch(`more time than it has itself, until ${new Date(expiresAt).toISOString()}`);
  return {
    scopes: wish.scopes,
    servers: wish.servers ?? own ?? null,
    project: wish.project ?? project,
    expiresAt: wish.expiresAt ?? expiresAt,
  };
}

function tooMuch(what: string): GatewayError {
  return new GatewayError('ACCESS_DENIED', `This token cannot grant rights that it lacks: ${what}.`, {
    hint: 'Ask for less, or make it with the owner token.',
  });
}

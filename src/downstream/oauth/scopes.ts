/** Scopes: how they are read, and which of them a sign-in asks for. */

import { limits } from '../../config/config.ts';

const legalScope = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

/** The scopes of a text with spaces between them; what cannot be one is left out. */
export function readScopes(text: string | undefined): readonly string[] {
  return tidyScopes((text ?? '').split(' '));
}

/** Each scope once, in the order given. */
export function tidyScopes(scopes: Iterable<string>): readonly string[] {
  return [...new Set([...scopes].filter((scope) => legalScope.test(scope)))].slice(0, limits.signInScopes);
}

/** Asked for where the authorization server has it, so that the sign-in can be renewed without a person. */
export const offlineAccess = 'offline_access';

export interface ScopeSources {
  /** Set by the owner. */
  readonly configured: readonly string[] | null;
  /** Asked for by the server when it refused a request. */
  readonly challenged: readonly string[];
  /** Listed in the server's metadata. */
  readonly listed: readonly string[];
  /** Asked for by the sign-in before this one. */
  readonly earlier: readonly string[];
  /** Offered by the authorization server. */
  readonly offered: readonly string[];
}

/**
 * The owner's word, else the server's at its refusal, else what its metadata lists, else none. To this comes what an earlier
 * sign-in asked for, so that more rights never mean the loss of others.
 */
export function chooseScopes({ configured, challenged, listed, earlier, offered }: ScopeSources): readonly string[] {
  const first = configured !== null ? [...configured, ...challenged] : challenged.length > 0 ? challenged : listed;
  const extra = offered.includes(offlineAccess) ? [offlineAccess] : [];
  return tidyScopes([...first, ...earlier.filter((scope) => scope !== offlineAccess), ...extra]);
}

/** True if all of `wanted` are among `held`. */
export function coversScopes(held: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((scope) => held.includes(scope));
}

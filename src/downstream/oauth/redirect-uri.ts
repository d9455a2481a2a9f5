/** Where browsers come back to: an address by which it shows who sent them, where an authorization server does not say it itself. */

import { createHash } from 'node:crypto';
import type { IssuerFacts } from './find-issuer.ts';

export const callbackPath = '/oauth/callback';

/** A browser's return from a sign-in. */
export interface ReturnVisit {
  /** The sender's mark in the path; empty if there is none. */
  readonly mark: string;
  readonly parameters: URLSearchParams;
}

/** True if every answer of the issuer names it, so that one from elsewhere is noticed (RFC 9207). */
export function namesItself({ authorization_response_iss_parameter_supported: isNamed }: IssuerFacts): boolean {
  return isNamed === true;
}

/**
 * `callback`: where the gateway takes visits. An issuer that does not name itself in its answers gets an address of its own:
 * otherwise a hostile one could send the browser on to another issuer, and have that one's code brought to itself.
 */
export function redirectUriFor(issuer: IssuerFacts, callback: string): string {
  return namesItself(issuer) ? callback : `${callback}/${markOf(issuer)}`;
}

/** Undefined where an address is none that sign-ins come back to. */
export function markIn(pathname: string): string | undefined {
  const at = pathname.lastIndexOf(callbackPath);
  if (at === -1) return undefined;
  const rest = pathname.slice(at + callbackPath.length);
  return rest === '' || rest.startsWith('/') ? rest.slice(1) : undefined;
}

/** Long enough that nobody finds a name with the same mark as another's. */
const markLength = 22;

function markOf({ issuer }: IssuerFacts): string {
  return createHash('sha256').update(issuer).digest('base64url').slice(0, markLength);
}

/** Who comes with a token of the issuer, and what its claims let them do. */

import { createHash } from 'node:crypto';
import { isObject } from '../../base/json.ts';
import { printable } from '../../base/text.ts';
import { type IssuerSettings, noProject } from '../../config/config.ts';
import { type Principal, type Scope, scopeNames } from '../principal.ts';
import { badToken, type GoodClaims } from './check-token.ts';

export interface Guest {
  /** Without a project. */
  readonly principal: Principal;
  /** The project that the token is bound to. */
  readonly project: string | null;
  /** When the token expires, and what it is made out to. */
  readonly expiresAt: number;
  readonly audiences: readonly string[];
}

const longestName = 128;
/** Names of principals that are not of an issuer. */
const ownNames: ReadonlySet<string> = new Set(['owner', 'agent', 'everybody', 'nobody']);

/** Throws UNAUTHENTICATED where a claim that limits something is not there or cannot be read: no limit would be more. */
export function guestOf(claims: GoodClaims, settings: IssuerSettings): Guest {
  const id = idOf(settings.issuer ?? '', claims.sub);
  const scopes = scopesOf(claims, settings.scopes);
  const servers = serversOf(claims, settings.claims.servers);
  const project = projectNameOf(claims, settings.claims.project);
  const audiences = [claims.aud ?? []].flat();
  const mark = markOf(scopes, [servers ?? null, project, audiences]);
  const principal = Object.freeze({ id, name: nameOf(claims, id), scopes: new Set(scopes), servers, mark });
  // The library has checked that the claim is a number; from here on times are in milliseconds, and what is off was counted in.
  return { principal, project, audiences, expiresAt: (claims.exp + settings.clockToleranceSeconds) * 1_000 };
}

/** The part of a mark that does not change where a token only has other scopes. */
export function limitsIn(mark: string): string {
  return mark.slice(0, mark.indexOf(' '));
}

function markOf(scopes: readonly Scope[], rest: unknown): string {
  return `${hashOf(JSON.stringify(rest))} ${scopes.join(',')}`;
}

/** People of two issuers are two people, whatever they are called there. */
function idOf(issuer: string, sub: string): string {
  const isShort = sub.length <= longestName && sub.isWellFormed();
  // The second form cannot be the first one of anybody else: there "#" is written in another way.
  return `oauth:${hashOf(issuer)}:${isShort ? encodeURIComponent(sub) : `#${hashOf(sub)}`}`;
}

function nameOf(claims: GoodClaims, id: string): string {
  for (const value of [claims.preferred_username, claims.client_id, claims.azp, claims.sub]) {
    const name = typeof value === 'string' ? printable(value).trim().slice(0, longestName) : '';
    if (name !== '') return ownNames.has(name) ? id : name;
  }
  return id;
}

function scopesOf(claims: GoodClaims, names: IssuerSettings['scopes']): readonly Scope[] {
  const granted = new Set([...wordsIn(claims.scope), ...wordsIn(claims.scp)]);
  return scopeNames.filter((scope) => granted.has(names[scope]));
}

function serversOf(claims: GoodClaims, claim: string | null): readonly string[] | undefined {
  if (claim === null) return undefined;
  const value = ownClaim(claims, claim);
  const isReadable =
    typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
  if (!isReadable) throw badToken('The token lacks the claim that lists its servers.');
  return wordsIn(value);
}

function projectNameOf(claims: GoodClaims, claim: string | null): string | null {
  if (claim === null) return null;
  const value = ownClaim(claims, claim);
  if (value === noProject) return null;
  if (typeof value !== 'string' || value === '' || value.length > longestName)
    throw badToken('The token lacks the claim that names its project.');
  return value;
}

function ownClaim(claims: GoodClaims, name: string): unknown {
  return isObject(claims) && Object.hasOwn(claims, name) ? claims[name] : undefined;
}

/** Issuers write lists as one text with spaces, or as a list. */
function wordsIn(value: unknown): string[] {
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return words.filter((word): word is string => typeof word === 'string' && word !== '');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** The principal of an issuer's token, with the rights that its claims give. */

import { createHash } from 'node:crypto';
import { isObject } from '../../base/json.ts';
import { cutAtWord } from '../../base/text.ts';
import { type IssuerSettings, noProject } from '../../config/config.ts';
import { readsAsOwn } from '../own-names.ts';
import { type Principal, type Scope, scopeNames, scopesIn } from '../principal.ts';
import { badToken, type GoodClaims } from './check-token.ts';

export interface Bearer {
  /** Without a project. */
  readonly principal: Principal;
  /** The project that the token is bound to. */
  readonly project: string | null;
  /** When the token expires, and what it is made out to. */
  readonly expiresAt: number;
  readonly audiences: readonly string[];
}

const longestProject = 128;
/** Of each part of an id, and of a name that people choose: what the audit keeps of a name has room for all of them. */
const longestPart = 96;
const longestChosen = 32;

/** Throws UNAUTHENTICATED where a claim that limits something is not there or cannot be read: no limit would be more. */
export function bearerOf(claims: GoodClaims, settings: IssuerSettings): Bearer {
  const client = clientOf(claims);
  const parts = [settings.issuer ?? '', claims.sub, ...(client === undefined ? [] : [client])];
  const scopes = scopesOf(claims, settings.scopes);
  const servers = serversOf(claims, settings.claims.servers);
  const project = projectNameOf(claims, settings.claims.project);
  const audiences = [claims.aud ?? []].flat();
  const mark = markOf(scopes, [servers ?? null, project, audiences]);
  const names = { id: idOf(parts), name: nameOf(claims, client) };
  const principal = Object.freeze({ ...names, scopes: new Set(scopes), servers, mark });
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

/** The program that the token was made for; undefined where it does not say. */
function clientOf({ client_id, azp }: GoodClaims): string | undefined {
  return [client_id, azp].find((value): value is string => typeof value === 'string' && value !== '');
}

/**
 * People of two issuers are two people, whatever they are called there, and two programs of one person are two principals: what is
 * approved for one of them is not approved for the other.
 */
function idOf([issuer = '', ...parts]: readonly string[]): string {
  return ['oauth', hashOf(issuer), ...parts.map(encoded)].join(':');
}

/** The second form cannot be the first one of anything else: there "#" is written in another way. */
function encoded(text: string): string {
  const short = text.length <= longestPart && text.isWellFormed() ? encodeURIComponent(text) : '';
  return short !== '' && short.length <= longestPart ? short.replace(/[()]/g, escaped) : `#${hashOf(text)}`;
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

/**
 * Most people choose the name that they are shown by, so that what the issuer knows them by stands beside it; of parentheses there
 * are only ours.
 */
function nameOf({ preferred_username, sub }: GoodClaims, client: string | undefined): string {
  const chosen = typeof preferred_username === 'string' ? chosenName(preferred_username) : '';
  const program = client === undefined ? '' : `, client ${shown(client)}`;
  return `${chosen === '' || readsAsOwn(chosen) ? 'guest' : chosen} (subject ${shown(sub)}${program})`;
}

function chosenName(text: string): string {
  const seen = text
    .slice(0, longestPart)
    .replace(/\s+/g, ' ')
    .replace(unseen, '')
    .replace(/[\p{Ps}\p{Pe}]/gu, '');
  return cutAtWord(seen.trim(), longestChosen);
}

/** As it is where nothing in it can be taken for something else, and else as in the id. */
function shown(text: string): string {
  return text.length <= longestPart && /^[\w.:@|+/~=-]+$/.test(text) ? text : encoded(text);
}

const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function scopesOf(claims: GoodClaims, names: IssuerSettings['scopes']): readonly Scope[] {
  const granted = new Set([...wordsIn(claims.scope), ...wordsIn(claims.scp)]);
  return scopesIn(scopeNames.filter((scope) => granted.has(names[scope])));
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
  if (typeof value !== 'string' || value === '' || value.length > longestProject)
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

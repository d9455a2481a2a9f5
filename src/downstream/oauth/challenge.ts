/** Why a server wants another token: the challenge in its refusal, and the scopes to ask for. */

import { limits } from '../../config/config.ts';

export interface Challenge {
  /** Where the server says who gives out its tokens, as it was written. */
  readonly resourceMetadata: string | null;
  readonly scopes: readonly string[];
  readonly error: string | null;
}

/** Characters read of a header: more than any challenge needs. */
const longestHeader = 8_192;

const separators = /[\s,]*/y;
const parameter = /([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/y;
const scheme = /[\w!#$%&'*+.^`|~-]+/y;

/** Undefined where the header holds no Bearer challenge. Several challenges may stand in one header, each with its parameters. */
export function readChallenge(header: string | undefined): Challenge | undefined {
  const text = (header ?? '').slice(0, longestHeader);
  let isBearer = false;
  let isFound = false;
  const found = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    at = endOf(separators, text, at) ?? at;
    parameter.lastIndex = at;
    const pair = parameter.exec(text);
    if (pair !== null) {
      const [, name = '', quoted, plain = ''] = pair;
      const key = name.toLowerCase();
      // Of a parameter that is named twice the first counts: what was added behind it by others does not.
      if (isBearer && !found.has(key)) found.set(key, quoted?.replace(/\\(.)/g, '$1') ?? plain);
      at = parameter.lastIndex;
      continue;
    }
    const end = endOf(scheme, text, at);
    if (end === undefined) at += 1;
    else {
      isBearer = !isFound && text.slice(at, end).toLowerCase() === 'bearer';
      isFound ||= isBearer;
      at = end;
    }
  }
  if (!isFound) return undefined;
  return {
    resourceMetadata: found.get('resource_metadata') ?? null,
    scopes: readScopes(found.get('scope')),
    error: found.get('error') ?? null,
  };
}

/** Where a match that begins at a place ends; undefined where there is none. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

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

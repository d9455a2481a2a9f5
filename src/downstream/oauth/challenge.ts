/** The Bearer challenge of a `WWW-Authenticate` header: how a refusal asks for a sign-in. */

import { readScopes } from './scopes.ts';

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

/** A document that says how to sign in, fetched from wherever a server pointed: small, JSON, and an object. */

import { messageOf } from '../../base/errors.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { signInFailed } from './sign-in-trouble.ts';

export interface MetadataDesk {
  readonly server: string;
  readonly fetch: GuardedFetch;
}

/** Undefined where there is no such document. */
export async function readMetadata(desk: MetadataDesk, url: URL): Promise<Record<string, unknown> | undefined> {
  let response: Response;
  try {
    response = await desk.fetch(url, { headers: { accept: 'application/json' } });
  } catch (error) {
    throw signInFailed(desk.server, messageOf(error), { cause: error });
  }
  if (response.status >= 500) throw signInFailed(desk.server, `${url.origin} answered HTTP ${response.status}.`);
  if (response.status !== 200) return undefined;
  try {
    const value = parseJson(await response.text());
    if (isObject(value)) return value;
  } catch {
    // Told below: whatever it is, it is no metadata.
  }
  throw signInFailed(desk.server, `what ${url.origin}${url.pathname} answers is no JSON object.`);
}

/** The strings of a member that should be a list of them. */
export function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Fetches the keys of an issuer: from where the owner said they are, or from where the issuer's own metadata say. */

import type { JSONWebKeySet } from 'jose';
import type { Clock } from '../../base/clock.ts';
import { type DialPolicy, foundPolicy, ownerPolicy } from '../../base/dial-guard.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { guardedFetch } from '../../base/guarded-fetch.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { type IssuerSettings, limits } from '../../config/config.ts';

export interface KeySearch {
  readonly settings: Pick<IssuerSettings, 'issuer' | 'jwksUrl'>;
  readonly privateHosts: readonly string[];
  readonly clock: Clock;
}

/** Throws UNREACHABLE where there are no keys to be had. */
export async function findKeys(search: KeySearch): Promise<JSONWebKeySet> {
  const { settings, privateHosts } = search;
  const issuer = new URL(settings.issuer ?? '');
  const written = settings.jwksUrl === null ? null : new URL(settings.jwksUrl);
  const url = written ?? (await findKeysUrl(search, issuer));
  const policy = written ? ownerPolicy(privateHosts, written) : foundPolicy(privateHosts, issuer);
  const found = await readObject(search, policy, url);
  if (found === undefined || !Array.isArray(found.keys))
    throw noKeys(`${url.origin}${url.pathname} holds no set of keys`);
  if (found.keys.length > limits.issuerKeys) throw noKeys(`${url.origin} has more than ${limits.issuerKeys} keys`);
  // The content of a key is checked when it is used.
  return { keys: found.keys.filter(isObject) } as JSONWebKeySet;
}

/** The places at which an issuer describes itself, by RFC 8414 and by OpenID Connect, in the order of the MCP specification. */
export function metadataUrls(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const places = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  const urls = places.map((place) => new URL(`${place}${path}`, issuer.origin));
  return path === '' ? urls : [...urls, new URL(`${path}/.well-known/openid-configuration`, issuer.origin)];
}

async function findKeysUrl(search: KeySearch, issuer: URL): Promise<URL> {
  const policy = ownerPolicy(search.privateHosts, issuer);
  for (const place of metadataUrls(issuer)) {
    const metadata = await readObject(search, policy, place);
    // A document about somebody else says nothing about this issuer; no normalising, or two could look like one.
    if (metadata === undefined || metadata.issuer !== search.settings.issuer) continue;
    const url = typeof metadata.jwks_uri === 'string' ? URL.parse(metadata.jwks_uri) : null;
    if (url === null) throw noKeys('its metadata do not say where they are');
    return url;
  }
  throw noKeys('there are no metadata in which it names itself as "access.oauth.issuer" does');
}

/** Undefined where there is no such document. */
async function readObject(
  { clock }: KeySearch,
  policy: DialPolicy,
  url: URL,
): Promise<Record<string, unknown> | undefined> {
  const bounds = { clock, timeoutMs: limits.issuerTimeoutMs, maxBytes: limits.issuerAnswerBytes };
  let response: Response;
  try {
    response = await guardedFetch(policy, bounds)(url, { headers: { accept: 'application/json' } });
  } catch (error) {
    throw noKeys(messageOf(error).replace(/\.$/, ''), error);
  }
  if (response.status >= 500) throw noKeys(`${url.origin} answered HTTP ${response.status}`);
  if (response.status !== 200) return undefined;
  const text = await response.text();
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    // A page for people, where there is nothing for programs.
    return undefined;
  }
}

function noKeys(why: string, cause?: unknown): GatewayError {
  return new GatewayError('UNREACHABLE', `Can't fetch the keys of the token issuer: ${why}.`, { cause });
}

/** Finds whose tokens a server takes and who gives them out, by the documents that both publish. */

import { isIP } from 'node:net';
import { z } from 'zod';
import { kindOfAddress, PrivateHosts, plainHost } from '../../base/dial-guard.ts';
import { messageOf } from '../../base/errors.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { type Challenge, tidyScopes } from './challenge.ts';
import { quotedWords, signInFailed } from './sign-in-trouble.ts';

export interface MetadataContext {
  readonly server: string;
  readonly fetch: GuardedFetch;
}

export interface ProtectedResource {
  /** To the letter as it was published: a token is asked for under this name. */
  readonly resource: string;
  /** Never empty. */
  readonly issuers: readonly [string, ...string[]];
  readonly scopes: readonly string[];
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** Undefined where the server publishes nothing. Throws where what it publishes must not be believed. */
export async function findResource(
  context: MetadataContext,
  serverUrl: URL,
  challenge: Challenge | undefined,
): Promise<ProtectedResource | undefined> {
  for (const address of resourceAddresses(context.server, serverUrl, challenge)) {
    const found = await readMetadata(context, address);
    if (found !== undefined) return checkedResource(context.server, serverUrl, found, address);
  }
  return undefined;
}

/** Where the server itself points, else the well-known places: with the path of the server, then without. */
function resourceAddresses(server: string, serverUrl: URL, challenge: Challenge | undefined): readonly URL[] {
  const named = challenge?.resourceMetadata ?? null;
  if (named !== null) {
    const url = readEndpoint(named);
    if (url === undefined) throw signInFailed(server, 'it names an address for its metadata that is not allowed.');
    return [url];
  }
  const path = serverUrl.pathname.replace(/\/$/, '');
  const root = new URL(wellKnown, serverUrl.origin);
  return path === '' ? [root] : [new URL(`${wellKnown}${path}${serverUrl.search}`, serverUrl.origin), root];
}

function checkedResource(
  server: string,
  serverUrl: URL,
  found: Record<string, unknown>,
  address: URL,
): ProtectedResource {
  const { resource } = found;
  if (typeof resource !== 'string' || !isResourceOf(resource, serverUrl, address)) {
    const named = typeof resource === 'string' ? ` ("${quotedWords(resource)}")` : '';
    throw signInFailed(server, `its metadata is that of another resource${named}, not of ${serverUrl.origin}.`);
  }
  const [first, ...others] = stringsIn(found.authorization_servers);
  if (first === undefined) throw signInFailed(server, 'its metadata names no authorization server.');
  return { resource, issuers: [first, ...others], scopes: tidyScopes(stringsIn(found.scopes_supported)) };
}

/**
 * True if a resource is the server, or the part of its host that the server belongs to. Only the host can say the
 * latter: anybody else, even with a path there, could have tokens made out for all its neighbours.
 */
function isResourceOf(resource: string, serverUrl: URL, address: URL): boolean {
  const url = URL.parse(resource);
  if (url === null || url.hash !== '' || url.origin !== serverUrl.origin) return false;
  if (url.search !== '' && url.search !== serverUrl.search) return false;
  const path = url.pathname.replace(/\/$/, '');
  const own = serverUrl.pathname.replace(/\/$/, '');
  if (own === path && url.search === serverUrl.search) return true;
  const isOfHost = address.origin === serverUrl.origin && isBelow(address.pathname, wellKnown);
  return isOfHost && isBelow(own, path);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

const endpoint = z.string().refine((text) => readEndpoint(text) !== undefined, {
  error: 'must be https, or http on this machine',
});
const names = z.array(z.string()).exactOptional();

/** In the words of the standard, because a library reads it; what is not used here is left out. */
export const issuerMetadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: endpoint.exactOptional(),
  token_endpoint: endpoint,
  registration_endpoint: endpoint.exactOptional(),
  revocation_endpoint: endpoint.exactOptional(),
  device_authorization_endpoint: endpoint.exactOptional(),
  scopes_supported: names,
  grant_types_supported: names,
  token_endpoint_auth_methods_supported: names,
  code_challenge_methods_supported: names,
  authorization_response_iss_parameter_supported: z.boolean().exactOptional(),
  client_id_metadata_document_supported: z.boolean().exactOptional(),
});

export type IssuerFacts = z.output<typeof issuerMetadataSchema>;

/** `issuer`: as the server named it; metadata that says another name is not believed. */
export async function findIssuer(context: MetadataContext, issuer: string): Promise<IssuerFacts> {
  const facts = await look(context, issuer, (name) => name === issuer);
  if (facts !== undefined) return facts;
  throw signInFailed(context.server, `nothing at ${quotedWords(issuer)} says how to sign in there.`);
}

/** For a server of the time before resource metadata: its own host is the issuer, if it says so. Undefined where it is not. */
export function findIssuerAtHost(context: MetadataContext, serverUrl: URL): Promise<IssuerFacts | undefined> {
  const { origin } = serverUrl;
  // Nobody has written the issuer's name yet, with or without the slash that ends it.
  return look(context, origin, (name) => name === origin || name === `${origin}/`);
}

async function look(
  context: MetadataContext,
  issuer: string,
  isRight: (name: string) => boolean,
): Promise<IssuerFacts | undefined> {
  for (const address of issuerAddresses(context.server, issuer)) {
    const found = await readMetadata(context, address);
    if (found !== undefined) return checkedIssuer(context.server, found, isRight);
  }
  return undefined;
}

/** In the order that the protocol demands: the standard for authorization servers before that of OpenID. */
function issuerAddresses(server: string, issuer: string): readonly URL[] {
  const url = readEndpoint(issuer);
  if (url === undefined || url.search !== '') {
    throw signInFailed(server, `"${quotedWords(issuer)}" is not an allowed address for a sign-in.`);
  }
  const path = url.pathname.replace(/\/$/, '');
  const at = (address: string) => new URL(address, url.origin);
  if (path === '') return [at('/.well-known/oauth-authorization-server'), at('/.well-known/openid-configuration')];
  return [
    at(`/.well-known/oauth-authorization-server${path}`),
    at(`/.well-known/openid-configuration${path}`),
    at(`${path}/.well-known/openid-configuration`),
  ];
}

function checkedIssuer(
  server: string,
  found: Record<string, unknown>,
  isRight: (name: string) => boolean,
): IssuerFacts {
  // Some write null where they have nothing to say.
  const said = Object.entries(found).filter(([, value]) => value !== null);
  const reading = issuerMetadataSchema.safeParse(Object.fromEntries(said));
  if (!reading.success) {
    const [issue] = reading.error.issues;
    const what = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
    throw signInFailed(server, `the metadata of its authorization server is invalid${quotedWords(what)}.`);
  }
  // To the letter: a name that is only alike is another issuer.
  if (!isRight(reading.data.issuer)) {
    const named = quotedWords(reading.data.issuer);
    throw signInFailed(server, `the metadata of its authorization server is that of another one ("${named}").`);
  }
  return reading.data;
}

/** Undefined where there is no such document. */
async function readMetadata(context: MetadataContext, url: URL): Promise<Record<string, unknown> | undefined> {
  let response: Response;
  try {
    response = await context.fetch(url, { headers: { accept: 'application/json' } });
  } catch (error) {
    throw signInFailed(context.server, messageOf(error), { cause: error });
  }
  if (response.status >= 500) throw signInFailed(context.server, `${url.origin} answered HTTP ${response.status}.`);
  if (response.status !== 200) return undefined;
  try {
    const value = parseJson(await response.text());
    if (isObject(value)) return value;
  } catch {
    // Told below: whatever it is, it is no metadata.
  }
  throw signInFailed(context.server, `what ${url.origin}${url.pathname} answers is no JSON object.`);
}

/** The strings of a member that should be a list of them. */
function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A host without anything that a program further on might take for something else. */
const plainName = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$/;

/** The URL, or undefined: it must be https, or http on this machine, without user name, password or fragment. */
export function readEndpoint(text: unknown): URL | undefined {
  if (typeof text !== 'string' || text.length > 4_096 || /[\s\u0000-\u001f\u007f-\u009f]/.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const host = plainHost(url);
  if (isIP(host) === 0 && !plainName.test(host)) return undefined;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && isLoopbackHost(host) ? url : undefined;
}

/** True if a token may travel to a server: nobody on the way can read it, or the owner calls the host private. */
export function isConfidential(serverUrl: URL, privateHosts: readonly string[]): boolean {
  if (serverUrl.protocol === 'https:' || isLoopbackHost(plainHost(serverUrl))) return true;
  return new PrivateHosts(privateHosts).hasHost(serverUrl);
}

function isLoopbackHost(host: string): boolean {
  if (isIP(host) > 0) return kindOfAddress(host) === 'loopback';
  return host === 'localhost' || host.endsWith('.localhost');
}

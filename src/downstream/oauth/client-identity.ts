/** Who we are at an authorization server: a client that the owner registered, our own document, or one that we register; and where a browser comes back to. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { type JsonObject, parseJson } from '../../base/json.ts';
import type { Config, OAuthSettings } from '../../config/config.ts';
import type { IssuerFacts } from './find-issuer.ts';
import type { SignInPlan } from './sign-in-plan.ts';
import { quotedWords, signInFailed } from './sign-in-trouble.ts';

const clientMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;
type ClientMethod = (typeof clientMethods)[number];

export const clientSchema = z.object({
  id: z.string().min(1),
  secret: z.string().nullable(),
  method: z.enum(clientMethods),
  kind: z.enum(['configured', 'document', 'registered']),
  /** Where a registered client's sign-ins come back to: another address needs another registration. */
  redirectUri: z.string().nullable(),
});

export type ClientIdentity = z.output<typeof clientSchema>;

export interface ClientChoice {
  readonly server: string;
  readonly issuer: IssuerFacts;
  readonly settings: OAuthSettings | null;
  /** Where our own description can be fetched. */
  readonly document: ClientDocument | null;
  readonly redirectUri: string;
  /** From an earlier sign-in at the same issuer, and at no other. */
  readonly earlier: ClientIdentity | null;
}

/** In the order of the protocol; undefined: none is there yet, and one has to be registered. */
export function knownClient(choice: ClientChoice): ClientIdentity | undefined {
  const { issuer, settings, document, earlier, redirectUri } = choice;
  if (settings?.clientId) return configuredClient(choice, settings.clientId, settings.clientSecret);
  if (document !== null && issuer.client_id_metadata_document_supported === true && isFitFor(document, issuer)) {
    return { id: document.url, secret: null, method: 'none', kind: 'document', redirectUri: null };
  }
  return earlier?.kind === 'registered' && earlier.redirectUri === redirectUri ? earlier : undefined;
}

/**
 * Our public document is the same for all authorization servers: only answers that name their issuer can be told apart.
 * We register with other issuers, each for an address of its own.
 */
function isFitFor(document: ClientDocument, issuer: IssuerFacts): boolean {
  return namesItself(issuer) || !document.isOurs;
}

function configuredClient(
  { server, issuer, settings }: ClientChoice,
  id: string,
  secret: string | null,
): ClientIdentity {
  if (!settings?.issuer) {
    // Any server could otherwise name somebody to whom it is shown, together with its secret.
    throw signInFailed(
      server,
      `"oauth.clientId" does not say which authorization server it is for, and the server names "${issuer.issuer}".`,
      { hint: `If the client was registered there, add "issuer": ${JSON.stringify(issuer.issuer)} to "oauth".` },
    );
  }
  if (settings.issuer !== issuer.issuer) {
    throw signInFailed(
      server,
      `its authorization server is "${issuer.issuer}", but "oauth.clientId" is for "${settings.issuer}".`,
      { hint: 'If the server has moved, register a client there and change "oauth" in the config.' },
    );
  }
  const method = secret === null ? 'none' : secretMethod(methodsOf(issuer));
  return { id, secret, method, kind: 'configured', redirectUri: null };
}

/** How a client that is registered on the way proves itself: by the least that the issuer takes. */
export function methodToRegister(issuer: IssuerFacts): ClientMethod {
  const offered = methodsOf(issuer);
  return offered.includes('none') ? 'none' : secretMethod(offered);
}

function secretMethod(offered: readonly string[]): ClientMethod {
  const isPostOnly = offered.includes('client_secret_post') && !offered.includes('client_secret_basic');
  return isPostOnly ? 'client_secret_post' : 'client_secret_basic';
}

/** Left out, the standard says, it means this one. */
function methodsOf(issuer: IssuerFacts): readonly string[] {
  return issuer.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
}

const documentPath = '/oauth/client.json';

type Settings = Config['oauth'];

/** A description of the gateway that authorization servers can fetch. */
export interface ClientDocument {
  readonly url: string;
  /** Ours names one address that sign-ins come back to; what the owner's names is not known here. */
  readonly isOurs: boolean;
}

/** null: there is none, and the gateway has to be registered wherever it signs in. */
export function documentOf(settings: Settings): ClientDocument | null {
  if (settings.clientMetadataUrl !== null) return { url: settings.clientMetadataUrl, isOurs: false };
  if (settings.publicUrl === null) return null;
  return { url: `${originOf(settings.publicUrl)}${documentPath}`, isOurs: true };
}

/** Where browsers come back to. `address`: where the gateway listens; null while it does not. */
export function callbackOf(settings: Settings, address: string | null): string | null {
  if (settings.publicUrl !== null) return `${originOf(settings.publicUrl)}${callbackPath}`;
  if (address === null) return null;
  const { port } = new URL(address);
  // Without https only this machine may be the end of a sign-in, whatever the gateway listens on besides.
  return `http://127.0.0.1:${port || '80'}${callbackPath}`;
}

/** null where the gateway has no address of its own to show it at. */
export function describeClient(settings: Settings): JsonObject | null {
  if (settings.publicUrl === null) return null;
  const origin = originOf(settings.publicUrl);
  return {
    client_id: `${origin}${documentPath}`,
    client_name: 'Toolcrib',
    client_uri: origin,
    redirect_uris: [`${origin}${callbackPath}`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  };
}

function originOf(publicUrl: string): string {
  return publicUrl.replace(/\/+$/, '');
}

type RegistrationContext = Pick<SignInPlan, 'server' | 'issuer' | 'fetch'>;

/** Servers leave out what the standard demands; only what is needed is asked for. */
const registrationSchema = z.object({
  client_id: z.string().min(1),
  client_secret: z.string().min(1).nullish(),
  token_endpoint_auth_method: z.string().nullish(),
});
const refusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export async function registerClient(context: RegistrationContext, redirectUri: string): Promise<ClientIdentity> {
  const { server, issuer } = context;
  if (issuer.registration_endpoint === undefined) {
    throw signInFailed(server, `${issuer.issuer} does not let programs register themselves.`, {
      hint: `Register a client there with the redirect address ${redirectUri} and give its id under "oauth": { "clientId": … } of the server.`,
    });
  }
  const answer = await post(context, issuer.registration_endpoint, registrationRequest(context, redirectUri));
  const reading = registrationSchema.safeParse(answer);
  if (!reading.success) throw signInFailed(server, 'the answer to our registration makes no sense.');
  const { client_id: id, client_secret, token_endpoint_auth_method: said } = reading.data;
  const secret = client_secret ?? null;
  const method = clientMethods.find((item) => item === said) ?? methodToRegister(issuer);
  return { id, secret, method: secret === null ? 'none' : method, kind: 'registered', redirectUri };
}

async function post({ server, fetch }: RegistrationContext, endpoint: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
    answer = parseJson(await response.text());
  } catch (error) {
    const why = error instanceof SyntaxError ? 'the answer is not JSON' : messageOf(error);
    throw signInFailed(server, `it did not register us: ${quotedWords(why)}.`, { cause: error });
  }
  if (response.ok) return answer;
  const refusal = refusalSchema.safeParse(answer).data;
  const words = refusal && `${refusal.error} ${refusal.error_description ?? ''}`;
  throw signInFailed(server, `it did not register us: ${quotedWords(words ?? `HTTP ${response.status}`).trim()}.`);
}

function registrationRequest({ issuer }: RegistrationContext, redirectUri: string): object {
  const grants = ['authorization_code', 'refresh_token'];
  if (issuer.grant_types_supported?.includes(deviceGrant)) grants.push(deviceGrant);
  return {
    client_name: 'Toolcrib',
    redirect_uris: [redirectUri],
    grant_types: grants,
    response_types: ['code'],
    token_endpoint_auth_method: methodToRegister(issuer),
    // A program on somebody's own machine, or a site of its own.
    application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
  };
}

const callbackPath = '/oauth/callback';

/** A browser's return from a sign-in. */
export interface SignInReturn {
  /** The sender's mark in the path; empty if there is none. */
  readonly mark: string;
  readonly parameters: URLSearchParams;
}

/** True if every answer of the issuer names it, so that one from elsewhere is noticed (RFC 9207). */
function namesItself({ authorization_response_iss_parameter_supported: isNamed }: IssuerFacts): boolean {
  return isNamed === true;
}

/**
 * `callback`: where browsers come back to the gateway. An issuer that does not name itself in its answers gets an address of its own:
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

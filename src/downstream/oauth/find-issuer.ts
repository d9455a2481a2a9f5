/** An authorization server's metadata (RFC 8414, OpenID discovery): where to sign in, and how. */

import { z } from 'zod';
import { readEndpoint } from './endpoint-url.ts';
import { type MetadataDesk, readMetadata } from './read-metadata.ts';
import { signInFailed, strangersWords } from './sign-in-trouble.ts';

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
export async function findIssuer(desk: MetadataDesk, issuer: string): Promise<IssuerFacts> {
  const facts = await look(desk, issuer, (name) => name === issuer);
  if (facts !== undefined) return facts;
  throw signInFailed(desk.server, `nothing at ${strangersWords(issuer)} says how to sign in there.`);
}

/** For a server of the time before resource metadata: its own host is the issuer, if it says so. Undefined where it is not. */
export function findIssuerAtHost(desk: MetadataDesk, serverUrl: URL): Promise<IssuerFacts | undefined> {
  const { origin } = serverUrl;
  // Nobody has written the issuer's name yet, with or without the slash that ends it.
  return look(desk, origin, (name) => name === origin || name === `${origin}/`);
}

async function look(
  desk: MetadataDesk,
  issuer: string,
  isRight: (name: string) => boolean,
): Promise<IssuerFacts | undefined> {
  for (const place of placesFor(desk.server, issuer)) {
    const found = await readMetadata(desk, place);
    if (found !== undefined) return checked(desk.server, found, isRight);
  }
  return undefined;
}

/** In the order that the protocol demands: the standard for authorization servers before that of OpenID. */
function placesFor(server: string, issuer: string): readonly URL[] {
  const url = readEndpoint(issuer);
  if (url === undefined || url.search !== '') {
    throw signInFailed(server, `"${strangersWords(issuer)}" is no address that a sign-in may go to.`);
  }
  const path = url.pathname.replace(/\/$/, '');
  const at = (place: string) => new URL(place, url.origin);
  if (path === '') return [at('/.well-known/oauth-authorization-server'), at('/.well-known/openid-configuration')];
  return [
    at(`/.well-known/oauth-authorization-server${path}`),
    at(`/.well-known/openid-configuration${path}`),
    at(`${path}/.well-known/openid-configuration`),
  ];
}

function checked(server: string, found: Record<string, unknown>, isRight: (name: string) => boolean): IssuerFacts {
  // Some write null where they have nothing to say.
  const said = Object.entries(found).filter(([, value]) => value !== null);
  const reading = issuerMetadataSchema.safeParse(Object.fromEntries(said));
  if (!reading.success) {
    const [issue] = reading.error.issues;
    const what = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
    throw signInFailed(server, `the metadata of its authorization server is not right${strangersWords(what)}.`);
  }
  // To the letter: a name that is only alike is another issuer.
  if (!isRight(reading.data.issuer)) {
    const named = strangersWords(reading.data.issuer);
    throw signInFailed(server, `the metadata of its authorization server is that of another one ("${named}").`);
  }
  return reading.data;
}

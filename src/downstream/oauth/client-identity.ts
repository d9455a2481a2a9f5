/** Our client at an authorization server: registered by the owner, a public document, or registered on the way. */

import { z } from 'zod';
import type { OAuthSettings } from '../../config/config.ts';
import type { ClientDocument } from './client-document.ts';
import type { IssuerFacts } from './find-issuer.ts';
import { namesItself } from './redirect-uri.ts';
import { signInFailed } from './sign-in-trouble.ts';

export const clientMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;
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

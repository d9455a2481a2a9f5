/** `access.oauth`: the issuer whose tokens let agents in, and what of a token means what here. */

import { z } from 'zod';
import { isWrittenPrivate } from '../base/dial-guard.ts';
import type { Report } from './issues.ts';
import { choiceSchema, flag, listSchema, mapSchema, section, webUrl, wholeNumber, word } from './schema-parts.ts';

/** Only algorithms with a key that the issuer keeps to itself: with a shared key, every checker of tokens could make them. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** The name of a scope by RFC 6749, which can stand in a header between quotes. */
function scopeName() {
  const error = 'the name of a scope, without spaces, quotes and backslashes';
  return z.string({ error }).regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, { error });
}

/** A host that gives out keys, or leads to them, must be authentic. */
function keyUrl() {
  const error = 'an https:// URL (http:// only in a private network) without query, fragment, user name or password';
  return webUrl().refine(isTrustworthy, { error });
}

function isTrustworthy(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.hash !== '' || url.search !== '' || text.endsWith('?') || text.endsWith('#')) return false;
  return url.protocol === 'https:' || isWrittenPrivate(url);
}

const scopes = section({
  use: scopeName().default('toolcrib:use').describe('Scope of tokens that may use tools.'),
  admin: scopeName().default('toolcrib:admin').describe('Scope of tokens that may change the gateway.'),
  metrics: scopeName().default('toolcrib:metrics').describe('Scope of tokens that may read metrics.'),
  optimize: scopeName()
    .default('toolcrib:optimize')
    .describe('Scope of tokens that may improve descriptions of tools and do nothing else.'),
});

const claims = section({
  project: word('the name of a claim', 256)
    .nullable()
    .default(null)
    .describe('Claim that names the project of a token; "UNASSIGNED" in it is none. null: tokens have no project.'),
  servers: word('the name of a claim', 256)
    .nullable()
    .default(null)
    .describe(
      'Claim that lists the servers of a token, with "*" for any characters. null: tokens may use all servers.',
    ),
});

export const issuerSettingsSchema = section({
  issuer: keyUrl()
    .nullable()
    .default(null)
    .describe('The authorization server whose tokens are accepted, exactly as in their "iss" claim.'),
  publicUrl: webUrl()
    .nullable()
    .default(null)
    .describe('Address under which agents reach this gateway. null: oauth.publicUrl, or else where it listens.'),
  audience: word('an audience', 1_024)
    .nullable()
    .default(null)
    .describe('The audience of tokens for this gateway. null: its public address, or that of the door in use.'),
  otherAudiences: listSchema(word('an audience', 1_024), 'a list of audiences')
    .default([])
    .describe('Other audiences that a token may have; a token with any other is refused, since others could reuse it.'),
  jwksUrl: keyUrl()
    .nullable()
    .default(null)
    .describe('Where the keys of the issuer are. null: where its metadata say.'),
  algorithms: listSchema(choiceSchema(algorithms), 'a list of algorithms')
    .min(1, { error: 'a list of at least one algorithm' })
    .default([...algorithms])
    .describe('How tokens may be signed.'),
  scopes: scopes.prefault({}).describe('The names of our scopes in tokens.'),
  claims: claims
    .prefault({})
    .describe('Claims that limit the rights of a token. A token without one of them is refused.'),
  requiredClaims: mapSchema(
    z.union([word('a text', 1_024), listSchema(word('a text', 1_024), 'a list of texts')], {
      error: 'a text or a list of texts',
    }),
    'an object from the name of a claim to the values that it may have',
  )
    .default({})
    .describe('Claims that a token must have, and their values: one of these must be the claim, or be in it.'),
  clockToleranceSeconds: wholeNumber(0, 600).default(60).describe('How far the clock of the issuer may be off.'),
  keepTokens: flag()
    .default(false)
    .describe("Also accept tokens of this gateway. false: only the owner's, and only from this machine."),
});

interface AccessValues {
  readonly auth: string;
  readonly oauth: z.output<typeof issuerSettingsSchema>;
}

/** Checks across several members. */
export function checkIssuer({ auth, oauth }: AccessValues, report: Report, warn: Report): void {
  if (auth === 'oauth' && oauth.issuer === null) {
    const message = '"access.auth" is "oauth", but "access.oauth.issuer" is not set; name the authorization server.';
    report({ path: ['access', 'auth'], message });
  }
  if (auth !== 'oauth' && oauth.issuer !== null) {
    const message = `"access.oauth" has no effect while "access.auth" is "${auth}".`;
    warn({ path: ['access', 'oauth'], at: 'key', message });
  }
}

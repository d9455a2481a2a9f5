/** Tokens as an attacker makes them who knows everything public about an issuer and its tokens: each is nearly good. */

import { createPublicKey, randomBytes } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { makeKey, type SigningKey, type TokenIssuer } from '../../test/kit/token-issuer.ts';

export interface ForgedToken {
  readonly title: string;
  readonly token: string;
  /** Belongs to the fourteen of the public list; the others are our own. */
  readonly isPublic?: boolean;
}

export interface ForgeOptions {
  readonly issuer: TokenIssuer;
  /** A second key of the issuer, whose public half is a text that could be taken for a shared secret. */
  readonly rsa: SigningKey;
  /** The audience of good tokens. */
  readonly audience: string;
  /** An address that nobody may ask. */
  readonly canary: string;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function forgeTokens(options: ForgeOptions): Promise<readonly ForgedToken[]> {
  const { issuer, audience } = options;
  const now = Math.floor(Date.now() / 1_000);
  const usual = { iss: issuer.url, aud: audience, sub: 'anna', iat: now, exp: now + 600, scope: 'toolcrib:use' };
  const [head = '', body = '', signature = ''] = (await issuer.token(audience)).split('.');
  const bench: Bench = {
    ...options,
    now,
    claims: usual,
    own: await makeKey(issuer.key.id),
    parts: { head, body, signature },
    signed: (more, header) => issuer.key.sign({ ...usual, ...more }, header),
    bare: (header, end = '') => `${encode(header)}.${encode(usual)}.${end}`,
  };
  const made = async ([title, token]: Recipe, isPublic: boolean) => ({ title, token: await token, isPublic });
  const own = [...wrongKeys(bench), ...wrongClaims(bench), ...wrongForms(bench)];
  return Promise.all([
    ...publicOnes(bench).map((recipe) => made(recipe, true)),
    ...own.map((recipe) => made(recipe, false)),
  ]);
}

type Recipe = readonly [title: string, token: string | Promise<string>];

interface Bench extends ForgeOptions {
  /** In seconds. */
  readonly now: number;
  /** Those of a good token. */
  readonly claims: JWTPayload;
  /** A key of the attacker, under the name of the issuer's. */
  readonly own: SigningKey;
  /** Of a good token. */
  readonly parts: { readonly head: string; readonly body: string; readonly signature: string };
  readonly signed: (more: JWTPayload, header?: Record<string, unknown>) => Promise<string>;
  /** With this header, good claims and any end. */
  readonly bare: (header: Record<string, unknown>, end?: string) => string;
}

function publicOnes({ issuer, rsa, audience, canary, now, claims, own, parts, signed, bare }: Bench): Recipe[] {
  const { head, signature } = parts;
  const strangeCrit = { alg: 'ES256', kid: issuer.key.id, crit: ['of-our-own'], 'of-our-own': true };
  const filled = encode({ ...claims, filler: randomBytes(700_000).toString('base64') });
  return [
    ['another audience', signed({ aud: 'https://elsewhere.example' })],
    ['no audience', issuer.key.sign(without(claims, 'aud'))],
    ['us and others', signed({ aud: [audience, 'https://elsewhere.example'] })],
    ['another issuer', signed({ iss: `${canary}/issuer` })],
    ['expired', signed({ iat: now - 7_200, exp: now - 3_600 })],
    ['not valid yet', signed({ nbf: now + 3_600 })],
    ['alg none', bare({ alg: 'none', typ: 'at+jwt' })],
    ...sharedSecrets(rsa).map((secret, at): Recipe => {
      return [`HS256 with the public key, ${at}`, sharedToken(claims, rsa.id, secret)];
    }),
    ['kid as a path', bare({ alg: 'ES256', kid: '../../../../dev/null' }, signature)],
    ['kid as SQL', bare({ alg: 'ES256', kid: "x' UNION SELECT 'key' --" }, signature)],
    ['jku', own.sign(claims, { jku: `${canary}/jwks.json` })],
    ['an unknown crit', bare(strangeCrit, signature)],
    ['1 MB', `${head}.${filled}.${signature}`],
  ];
}

function wrongKeys({ issuer, canary, claims, own, parts, bare }: Bench): Recipe[] {
  const { head, body, signature } = parts;
  return [
    ['alg None', bare({ alg: 'None' })],
    ['alg none with a signature', bare({ alg: 'none', kid: issuer.key.id }, signature)],
    ['no alg', bare({ typ: 'at+jwt', kid: issuer.key.id }, signature)],
    ['another algorithm', bare({ alg: 'RS256', kid: issuer.key.id }, signature)],
    ['the key in the header', own.sign(claims, { jwk: own.publicJwk })],
    ['x5u', own.sign(claims, { x5u: `${canary}/chain.pem` })],
    ['x5c', own.sign(claims, { x5c: [randomBytes(300).toString('base64')] })],
    ['an issuer that is the canary', own.sign({ ...claims, iss: canary }, { jku: `${canary}/k` })],
    ['a key of the same name', own.sign(claims)],
    ['a key that nobody has', own.sign(claims, { kid: 'second' })],
    ['a signature of zeros', `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`],
    ['no signature', `${head}.${body}.`],
    ['another body', `${head}.${encode({ ...claims, scope: 'toolcrib:admin' })}.${signature}`],
  ];
}

function wrongClaims({ issuer, audience, now, claims, signed }: Bench): Recipe[] {
  return [
    ['an audience that begins like ours', signed({ aud: `${audience}.evil.example` })],
    ['an audience in capitals', signed({ aud: audience.toUpperCase() })],
    ['an empty list of audiences', signed({ aud: [] })],
    ['an issuer with a slash', signed({ iss: `${issuer.url}/` })],
    ['no issuer', issuer.key.sign(without(claims, 'iss'))],
    ['no subject', issuer.key.sign(without(claims, 'sub'))],
    ['no end', issuer.key.sign(without(claims, 'exp'))],
    ['an end that is a text', issuer.key.sign({ ...claims, exp: '9999999999' as never })],
    ['made in the future', signed({ iat: now + 3_600 })],
    ['an identity token', signed({}, { typ: 'id+jwt' })],
    ['a logout token', signed({}, { typ: 'logout+jwt' })],
    ['bound to a key', signed({ cnf: { jkt: 'x' } })],
    ['15 kB', signed({ filler: 'x'.repeat(10_000) })],
  ];
}

function wrongForms({ parts: { head, body, signature } }: Bench): Recipe[] {
  const text = (value: string) => Buffer.from(value).toString('base64url');
  return [
    ['five parts', `${head}.${body}.${signature}.${body}.${signature}`],
    ['two parts', `${head}.${body}`],
    ['empty parts', '..'],
    ['no JSON', `${text('{')}.${body}.${signature}`],
    ['a list for a header', `${encode([])}.${body}.${signature}`],
    ['null', `${encode(null)}.${encode(null)}.${signature}`],
    ['a prototype in the header', `${text('{"alg":"none","__proto__":{"alg":"ES256"}}')}.${body}.${signature}`],
  ];
}

function without(claims: JWTPayload, name: string): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
}

/** The public key in the spellings in which a careless checker might use it as a secret. */
function sharedSecrets({ publicJwk }: SigningKey): Uint8Array[] {
  const key = createPublicKey({ key: publicJwk as never, format: 'jwk' });
  const pem = String(key.export({ type: 'spki', format: 'pem' }));
  return [pem, pem.trim(), key.export({ type: 'spki', format: 'der' }), JSON.stringify(publicJwk)].map((item) =>
    Buffer.from(item as string),
  );
}

function sharedToken(claims: JWTPayload, kid: string, secret: Uint8Array): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid, typ: 'at+jwt' }).sign(secret);
}

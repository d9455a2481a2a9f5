/** Checks a token of the issuer: its signature and its claims. */

import type { JWTHeaderParameters, JWTPayload, JWTVerifyResult } from 'jose';
import type { Clock } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import type { IssuerSettings } from '../../config/config.ts';
import type { IssuerKeys, KeySet } from './issuer-keys.ts';

/** The claims of a token that is valid apart from its audience, which depends on where it is used. */
export interface GoodClaims extends JWTPayload {
  readonly sub: string;
  readonly exp: number;
}

export interface TokenCheck {
  readonly keys: IssuerKeys;
  readonly settings: IssuerSettings;
  readonly clock: Clock;
}

/** Keys of an issuer that are tried for a token that does not say which is its own. */
const mostTries = 8;

/** Throws UNAUTHENTICATED with the reason, or UNREACHABLE where that cannot be known now. */
export async function checkToken(token: string, check: TokenCheck): Promise<GoodClaims> {
  const { payload, protectedHeader } = await verify(token, check);
  const { settings, clock } = check;
  const fault =
    kindFault(protectedHeader, payload) ??
    timeFault(payload, clock.now() / 1_000 + settings.clockToleranceSeconds) ??
    claimFault(payload, settings.requiredClaims);
  if (fault !== undefined) throw badToken(fault);
  // Both are among the required claims below; their types were looked at in `timeFault` and by the library.
  return payload as GoodClaims;
}

export function badToken(message: string, isExpired = false): GatewayError {
  return new GatewayError('UNAUTHENTICATED', message, { data: { isExpired } });
}

async function verify(token: string, check: TokenCheck): Promise<JWTVerifyResult> {
  const { errors } = await import('jose');
  const keys = await check.keys.current();
  try {
    return await verifyWith(token, keys, check);
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw await refusalOf(error);
  }
  const newer = await check.keys.newer(keys);
  if (newer === undefined) throw badToken('The token is signed with a key that its issuer does not have.');
  return verifyWith(token, newer, check).catch(async (error) => Promise.reject(await refusalOf(error)));
}

/** The header of a token chooses among the keys of the issuer, and nothing else: no address and no key in it is looked at. */
async function verifyWith(token: string, keys: KeySet, { settings, clock }: TokenCheck): Promise<JWTVerifyResult> {
  const { errors, jwtVerify } = await import('jose');
  const options = {
    algorithms: [...settings.algorithms],
    issuer: settings.issuer ?? '',
    requiredClaims: ['sub', 'exp', 'aud', ...Object.keys(settings.requiredClaims)],
    clockTolerance: settings.clockToleranceSeconds,
    currentDate: new Date(clock.now()),
  };
  try {
    return await jwtVerify(token, keys.find, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tries = 0;
    for await (const key of error) {
      tries += 1;
      if (tries > mostTries) break;
      const found = await jwtVerify(token, key, options).catch((reason: unknown) => {
        if (reason instanceof errors.JWSSignatureVerificationFailed) return undefined;
        throw reason;
      });
      if (found) return found;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** In words that say nothing of the token itself. Errors that are not about tokens are passed on. */
async function refusalOf(error: unknown): Promise<unknown> {
  const { errors } = await import('jose');
  if (error instanceof errors.JWTExpired) return badToken('The token has expired.', true);
  if (error instanceof errors.JWTClaimValidationFailed) return badToken(claimSentence(error.claim, error.reason));
  if (error instanceof errors.JOSEError) return badToken('The token is not signed by the issuer for this gateway.');
  return error;
}

function claimSentence(claim: string, reason: string): string {
  if (reason === 'missing') return 'The token lacks a claim that is required.';
  if (claim === 'iss') return 'The token is from another issuer.';
  if (claim === 'nbf') return 'The token is not valid yet.';
  return 'The token has an invalid claim.';
}

const accessTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

/** Issuers sign other things with the same keys, and tokens that are valid only together with a proof. */
function kindFault({ typ }: JWTHeaderParameters, { cnf }: JWTPayload): string | undefined {
  if (typ !== undefined && !accessTypes.has(String(typ).toLowerCase())) return 'This is not an access token.';
  if (cnf !== undefined) return 'The token is bound to a key, which cannot be checked here.';
  return undefined;
}

function timeFault({ iat, sub }: JWTPayload, latest: number): string | undefined {
  if (typeof sub !== 'string' || sub === '') return 'The token has no subject.';
  return typeof iat === 'number' && iat > latest ? 'The token was issued in the future.' : undefined;
}

function claimFault(payload: JWTPayload, required: IssuerSettings['requiredClaims']): string | undefined {
  const isMet = Object.entries(required).every(([name, allowed]) => {
    const values = [Object.hasOwn(payload, name) ? payload[name] : undefined].flat();
    return values.some((value) => [allowed].flat().includes(String(value)));
  });
  return isMet ? undefined : 'The token lacks a claim that is required.';
}

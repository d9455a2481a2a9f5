/** One sign-in that is under way: it waits for a browser to come back, or for a code to be entered elsewhere, and ends once. */

import { createHash, randomBytes } from 'node:crypto';
import { deviceAuthorizationRequest, processDeviceAuthorizationResponse } from 'oauth4webapi';
import { type Clock, sleep } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { limits } from '../../config/config.ts';
import { offlineAccess } from './challenge.ts';
import { deviceGrant, markIn, type SignInReturn } from './client-identity.ts';
import { readEndpoint } from './find-issuer.ts';
import {
  libraryOptions,
  proofOf,
  redeemCode,
  redeemDeviceCode,
  refusalFrom,
  type TokenGrant,
} from './issuer-requests.ts';
import type { KeptSignIn } from './kept-sign-ins.ts';
import type { SignInPlan } from './sign-in-plan.ts';
import { quotedWords, signInFailed } from './sign-in-trouble.ts';

export class SignInFlow {
  readonly id: string;
  readonly plan: SignInPlan;
  /** Known to whoever was sent there, and to nobody else. */
  readonly state: string;
  readonly verifier: string;

  /** `begun`: of one that was begun on another replica. */
  constructor(plan: SignInPlan, begun?: Pick<KeptSignIn, 'flow' | 'state' | 'verifier'>) {
    this.plan = plan;
    this.id = begun?.flow ?? randomId();
    this.state = begun?.state ?? randomBytes(32).toString('base64url');
    this.verifier = begun?.verifier ?? randomBytes(48).toString('base64url');
  }

  /** Where the browser goes. */
  get address(): string {
    const { server, issuer, client, resource, scopes, redirectUri } = this.plan;
    if (issuer.authorization_endpoint === undefined) throw signInFailed(server, 'it offers no sign-in by browser.');
    if (!issuer.code_challenge_methods_supported?.includes('S256')) {
      throw signInFailed(server, `${issuer.issuer} does not offer PKCE, without which a sign-in is not safe.`);
    }
    const url = new URL(issuer.authorization_endpoint);
    const parameters: Record<string, string> = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: redirectUri,
      state: this.state,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      // Without it, some give no lasting access even where it is asked for.
      ...(scopes.includes(offlineAccess) && { prompt: 'consent' }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Throws trouble that says why there is no token. */
  async redeem({ mark, parameters }: SignInReturn): Promise<TokenGrant> {
    const { server, redirectUri } = this.plan;
    // The code may be that of another authorization server: it is shown to nobody.
    if (mark !== markIn(new URL(redirectUri).pathname)) {
      throw signInFailed(server, 'the browser was not sent back by the authorization server.');
    }
    try {
      return await redeemCode(this.plan, { parameters, state: this.state, redirectUri, verifier: this.verifier });
    } catch (error) {
      const denied = parameters.get('error');
      const why = denied === null ? refusalFrom(error).sentence : explainDenial(denied);
      throw signInFailed(server, `${why}.`, { cause: error });
    }
  }
}

/** The codes of the standard are far shorter. */
const longestCode = 60;

function explainDenial(code: string): string {
  return code === 'access_denied'
    ? 'access was denied'
    : `the authorization server says ${quotedWords(code.slice(0, longestCode))}`;
}

/** A sign-in that a person finishes on another device. */
interface DeviceAuthorization {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly address: string;
  readonly expiresInMs: number;
  readonly intervalMs: number;
}

function offersDevices({ issuer }: Pick<SignInPlan, 'issuer'>): boolean {
  const grants = issuer.grant_types_supported;
  return issuer.device_authorization_endpoint !== undefined && (grants?.includes(deviceGrant) ?? true);
}

/** Asks again and again, as slowly as the authorization server wants, until there is a token or a clear no. */
export async function awaitDevice(
  plan: SignInPlan,
  authorization: DeviceAuthorization,
  clock: Clock,
  signal: AbortSignal,
): Promise<TokenGrant> {
  const until = clock.elapsed() + Math.min(authorization.expiresInMs, limits.signInTtlMs);
  for (let intervalMs = authorization.intervalMs; ; ) {
    await sleep(clock, intervalMs, signal);
    if (clock.elapsed() >= until) throw signInFailed(plan.server, 'the code was not entered in time.');
    try {
      return await redeemDeviceCode(plan, authorization.deviceCode);
    } catch (error) {
      const refusal = refusalFrom(error);
      if (refusal.code === 'slow_down') intervalMs += 5_000;
      else if (refusal.code !== 'authorization_pending' && refusal.isFinal) {
        throw signInFailed(plan.server, `${refusal.sentence}.`, { cause: error });
      }
    }
  }
}

/** How often is asked where the authorization server does not say. */
const usualIntervalMs = 5_000;
/** However often it says: nobody enters a code that fast. */
const leastIntervalMs = 1_000;

export async function askForDeviceCode(plan: SignInPlan): Promise<DeviceAuthorization> {
  const { server, issuer, client, resource, scopes } = plan;
  if (!offersDevices(plan)) {
    throw signInFailed(server, `${issuer.issuer} offers no sign-in by device.`, {
      hint: `Use: toolcrib auth ${server} --no-browser`,
    });
  }
  try {
    const self = { client_id: client.id };
    const parameters = { resource, ...(scopes.length > 0 && { scope: scopes.join(' ') }) };
    const response = await deviceAuthorizationRequest(issuer, self, proofOf(client), parameters, libraryOptions(plan));
    const found = await processDeviceAuthorizationResponse(issuer, self, response);
    const complete = readEndpoint(found.verification_uri_complete)?.href;
    const address = complete ?? readEndpoint(found.verification_uri)?.href;
    if (address === undefined) throw new Error('it names an address for the code that is not allowed');
    const intervalMs = found.interval === undefined ? usualIntervalMs : found.interval * 1_000;
    return {
      deviceCode: found.device_code,
      userCode: quotedWords(found.user_code),
      address,
      expiresInMs: found.expires_in * 1_000,
      intervalMs: Math.max(intervalMs, leastIntervalMs),
    };
  } catch (error) {
    throw signInFailed(server, `${refusalFrom(error).sentence}.`, { cause: error });
  }
}

/** Asks an authorization server for a code that a person can enter on another device (RFC 8628). */

import { deviceAuthorizationRequest, processDeviceAuthorizationResponse } from 'oauth4webapi';
import { readEndpoint } from './endpoint-url.ts';
import { libraryOptions, proofOf, refusalFrom } from './issuer-requests.ts';
import { type DeviceWish, offersDevices } from './sign-in-flow.ts';
import type { SignInPlan } from './sign-in-plan.ts';
import { signInFailed, strangersWords } from './sign-in-trouble.ts';

/** How often is asked where the authorization server does not say. */
const usualIntervalMs = 5_000;
/** However often it says: nobody enters a code that fast. */
const leastIntervalMs = 1_000;

export async function askForDeviceCode(plan: SignInPlan): Promise<DeviceWish> {
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
      userCode: strangersWords(found.user_code),
      address,
      expiresInMs: found.expires_in * 1_000,
      intervalMs: Math.max(intervalMs, leastIntervalMs),
    };
  } catch (error) {
    throw signInFailed(server, `${refusalFrom(error).sentence}.`, { cause: error });
  }
}

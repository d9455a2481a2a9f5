/** Registers the gateway with an authorization server that knows neither a client of the owner nor our document (RFC 7591). */

import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { type ClientIdentity, clientMethods, methodToRegister } from './client-identity.ts';
import type { SignInPlan } from './sign-in-plan.ts';
import { signInFailed, strangersWords } from './sign-in-trouble.ts';

type RegistrationDesk = Pick<SignInPlan, 'server' | 'issuer' | 'fetch'>;

/** Servers leave out what the standard demands; only what is needed is asked for. */
const registrationSchema = z.object({
  client_id: z.string().min(1),
  client_secret: z.string().min(1).nullish(),
  token_endpoint_auth_method: z.string().nullish(),
});
const refusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export async function registerClient(desk: RegistrationDesk, redirectUri: string): Promise<ClientIdentity> {
  const { server, issuer } = desk;
  if (issuer.registration_endpoint === undefined) {
    throw signInFailed(server, `${issuer.issuer} does not let programs register themselves.`, {
      hint: `Register a client there with the redirect address ${redirectUri} and give its id under "oauth": { "clientId": … } of the server.`,
    });
  }
  const answer = await post(desk, issuer.registration_endpoint, wish(desk, redirectUri));
  const reading = registrationSchema.safeParse(answer);
  if (!reading.success) throw signInFailed(server, 'the answer to our registration makes no sense.');
  const { client_id: id, client_secret, token_endpoint_auth_method: said } = reading.data;
  const secret = client_secret ?? null;
  const method = clientMethods.find((item) => item === said) ?? methodToRegister(issuer);
  return { id, secret, method: secret === null ? 'none' : method, kind: 'registered', redirectUri };
}

async function post({ server, fetch }: RegistrationDesk, endpoint: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
    answer = parseJson(await response.text());
  } catch (error) {
    const why = error instanceof SyntaxError ? 'the answer is no JSON' : messageOf(error);
    throw signInFailed(server, `it did not register us: ${strangersWords(why)}.`, { cause: error });
  }
  if (response.ok) return answer;
  const refusal = refusalSchema.safeParse(answer).data;
  const words = refusal && `${refusal.error} ${refusal.error_description ?? ''}`;
  throw signInFailed(server, `it did not register us: ${strangersWords(words ?? `HTTP ${response.status}`).trim()}.`);
}

function wish({ issuer }: RegistrationDesk, redirectUri: string): object {
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

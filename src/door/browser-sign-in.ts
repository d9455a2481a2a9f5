/** Browsers that sign in and out: a page hands in the code of its link, and gets a token of its own that it sends like everybody else. */

import type { IncomingMessage } from 'node:http';
import { type AccessControl, browserIdOf, everybody, type Principal, publicPageOf } from '../access/access.ts';
import type { AuditLog } from '../audit/audit.ts';
import type { Clock } from '../base/clock.ts';
import { isObject } from '../base/json.ts';
import type { Config } from '../config/config.ts';
import { type Authenticator, linkNeeded, unauthenticated } from './authenticate.ts';
import type { DoorRequest } from './connections.ts';
import { HttpError, readJsonBody } from './exchange.ts';
import { passOn, type ReplicaAddresses } from './pass-on.ts';
import { plainHeaders } from './refuse.ts';
import { isPassedOn, type Sender } from './sender.ts';

interface SignInOptions {
  readonly access: Pick<AccessControl, 'signIns'>;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly config: () => Config;
  readonly clock: Clock;
  readonly replicas: ReplicaAddresses;
}

/** The answer to a browser that may come in. */
interface SignedIn {
  /** null where nobody is asked for a token. */
  readonly token: string | null;
  readonly expiresAt: number | null;
  readonly name: string;
  readonly scopes: readonly string[];
}

/** The most bytes of a code with the JSON around it. */
const largestCode = 1_024;

/** The code works once, whatever becomes of the answer. Another gateway may have made it. */
export async function serveSignIn(
  { request, response, sender }: DoorRequest,
  options: SignInOptions,
  authenticator: Authenticator,
): Promise<void> {
  if (!isPassedOn(request) && !isFromOwnPage(request, options.config())) throw new HttpError(403, foreignPage);
  const most = { ...options.config().limits, bodyBytes: largestCode };
  const code = codeIn(await readJsonBody(request, most, options.clock));
  const passing = { request, response, sender, id: code, body: JSON.stringify({ code }) };
  if (await passOn(options.replicas, passing)) return;
  const signedIn = authenticator.isOff ? asEverybody : await redeem(code, sender, options, authenticator);
  const body = JSON.stringify(signedIn);
  const length = { 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, { ...plainHeaders, 'cache-control': 'no-store', ...length }).end(body);
}

async function redeem(
  code: string | undefined,
  sender: Sender,
  { access, audit }: SignInOptions,
  authenticator: Authenticator,
): Promise<SignedIn> {
  if (code === undefined) throw unauthenticated({}, `This browser is not signed in. ${linkNeeded}`);
  const browser = access.signIns.redeem(code);
  if (!browser) throw authenticator.refused(sender, undefined, linkRefused);
  // Its next request may come to another one.
  await access.signIns.shared();
  const { token, expiresAt, principal } = browser;
  await audit.record(browserEvent('browser.sign-in', principal, sender));
  return { token, expiresAt, name: principal.name, scopes: [...principal.scopes] };
}

const asEverybody: SignedIn = {
  token: null,
  expiresAt: null,
  name: everybody.name,
  scopes: [...everybody.scopes],
};

/** A caller that is no browser has nothing to end. */
export async function serveSignOut(
  { request, response, route, sender }: DoorRequest,
  { access, audit }: Pick<SignInOptions, 'access' | 'audit'>,
  authenticator: Authenticator,
): Promise<void> {
  const { principal } = await authenticator.admit(request, route, sender);
  if (principal?.browser !== undefined) {
    await access.signIns.end(principal.browser);
    await audit.record(browserEvent('browser.sign-out', principal, sender));
  }
  response.writeHead(204, { 'cache-control': 'no-store' }).end();
}

const linkRefused = 'This link was used before, has expired or is invalid. Run "toolcrib open" for a new one.';

const foreignPage =
  'Only the page of this gateway can sign a browser in. Behind a front end, set "oauth.publicUrl" to the address of the page.';

/** Every browser names the origin of a POST, and no page can name another. A front end may have changed the Host. */
function isFromOwnPage(request: IncomingMessage, config: Config): boolean {
  const { origin, host } = request.headers;
  // Node joins several values with a comma, and the result is not an origin.
  if (origin === undefined) return false;
  return origin.replace(/^https?:\/\//, '') === host || origin === publicPageOf(config)?.origin;
}

function codeIn(body: unknown): string | undefined {
  const code = isObject(body) ? body.code : null;
  if (code === undefined || typeof code === 'string') return code;
  throw new HttpError(400, 'The body must be an object with the text "code".');
}

function browserEvent(action: string, principal: Principal, { address }: Sender) {
  const detail = { address, browser: browserIdOf(principal.browser ?? '') };
  return { kind: 'access', action, principal, outcome: 'ok', detail } as const;
}

/** The one step in front of every guarded route: identifies the caller by its token, and checks scope and rate. */

import type { IncomingMessage } from 'node:http';
import {
  everybody,
  lackingScope,
  type Principal,
  type RateLimit,
  type Scope,
  type TokenOrigin,
} from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { HttpError, type TokenChallenge } from './exchange.ts';
import { doorOf, isMcp, lackedScope, type Route, type RouteRight } from './routes.ts';
import { countedAddress, countOf, isFromHere, type Sender } from './sender.ts';

/** The principal of a token; undefined for an invalid one. It may reject with UNAUTHENTICATED, UNREACHABLE or STORE_BROKEN, with a reason. */
export type Authenticate = (
  token: string,
  origin: TokenOrigin,
) => Principal | undefined | Promise<Principal | undefined>;

interface AuthenticatorOptions {
  /** null while the gateway asks for no token. */
  readonly authenticate: () => Authenticate | null;
  /** Invalid tokens, by address. */
  readonly failures: RateLimit;
  /** Requests, by principal. */
  readonly requests: RateLimit;
  readonly onRefused: (address: string) => void;
}

export interface CallerIdentity {
  /** undefined: a trusted front end that names somebody in each message, and nobody for itself. */
  readonly principal: Principal | undefined;
  readonly sender: Sender;
  /** Where the tokens of the request were used. */
  readonly origin: TokenOrigin;
  /** True if messages may name, by a token of their own, on whose behalf they are sent. */
  readonly speaksForOthers: boolean;
}

export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** True while the gateway asks for no token. */
  get isOff(): boolean {
    return this.#options.authenticate() === null;
  }

  /** Throws the answer to a request that may not come in. */
  async admit(request: IncomingMessage, route: Route, sender: Sender): Promise<CallerIdentity> {
    const identity = await this.#identify(request, route, sender);
    const { principal } = identity;
    if (principal) this.check(principal, route);
    return identity;
  }

  /** Every principal passes this, however it came here. */
  check(principal: Principal, right: RouteRight): void {
    const lacked = lackedScope(right, principal);
    if (lacked !== undefined) throw withoutScope(lacked);
    const waitMs = this.#options.requests.take(principal.id);
    if (waitMs !== undefined) throw tooMany('This token sends too many requests.', waitMs);
  }

  /** The principal of a token that came from somewhere else than the header. */
  async ofToken(token: string, { sender, origin }: Pick<CallerIdentity, 'sender' | 'origin'>): Promise<Principal> {
    const principal = await this.#tryToken(token, sender, origin);
    if (principal) return principal;
    throw this.refused(sender);
  }

  /** The answer to an invalid credential; after too many failures, a request to wait. */
  refused(sender: Sender, description?: string, need?: string): HttpError {
    const address = countedAddress(sender.address);
    this.#options.onRefused(address);
    const waitMs = this.#options.failures.take(address);
    return waitMs === undefined
      ? unauthenticated({ error: 'invalid_token', description }, need)
      : tooMany('Too many sign-ins from this address have failed.', waitMs);
  }

  async #tryToken(token: string, sender: Sender, origin: TokenOrigin): Promise<Principal | undefined> {
    try {
      return await this.#options.authenticate()?.(token, origin);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { code, message: description, data } = error;
      if (code === 'UNREACHABLE') throw unknowable("Can't verify the token: the issuer is unreachable.", 30);
      if (code === 'STORE_BROKEN') throw unknowable("Can't verify the token: the store is unreachable.", 5);
      // An expired token is no guess: its client will get another one, and should hear how.
      throw data?.isExpired
        ? unauthenticated({ error: 'invalid_token', description })
        : this.refused(sender, description);
    }
  }

  async #identify(request: IncomingMessage, route: Route, sender: Sender): Promise<CallerIdentity> {
    const authenticate = this.#options.authenticate();
    const speaksForOthers = authenticate !== null && isMcp(route) && (sender.isTrusted || sender.isBridge);
    const { isForBrowsers = false } = route;
    const origin = { isLocal: isFromHere(request, sender), door: doorOf(route), isForBrowsers };
    const identity = { sender, speaksForOthers, origin };
    if (authenticate === null) return { ...identity, principal: everybody };
    if (route.query.has('access_token')) throw tokenInUrl();
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      if (!/^Bearer\b/i.test(authorization)) throw unauthenticated();
      const token = bearerOf(request);
      // A valid token is let in even where others fail too often: many people may share one address.
      if (token === undefined) throw this.refused(sender);
      return { ...identity, principal: await this.ofToken(token, identity) };
    }
    if (sender.isTrusted && speaksForOthers && request.method === 'POST') return { ...identity, principal: undefined };
    throw unauthenticated({}, isForBrowsers ? `${tokenNeeded} ${linkNeeded}` : tokenNeeded);
  }
}

/** Only one header, in its only form. */
function bearerOf(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization ?? '';
  return countOf(request, 'authorization') === 1 ? /^Bearer +(\S{1,8192})$/i.exec(header)?.[1] : undefined;
}

const tokenNeeded = 'A valid token is needed: send "Authorization: Bearer TOKEN".';

export const linkNeeded = 'To sign a browser in, run "toolcrib open" at the command line.';

/** `need`: the next step, in a sentence. */
export function unauthenticated(challenge: TokenChallenge = {}, need = tokenNeeded): HttpError {
  const { description } = challenge;
  return new HttpError(401, description === undefined ? need : `${description} ${need}`, {
    challenge,
    rpcCode: -32000,
  });
}

/** URLs end up in logs and histories, where tokens must not be. */
function tokenInUrl(): HttpError {
  const description = 'A token in the address is not accepted; send it in the Authorization header only.';
  return new HttpError(400, description, { challenge: { error: 'invalid_request', description } });
}

/** 503, so that a client keeps its token. The reason is in the log: callers need not know it. */
function unknowable(sentence: string, retrySeconds: number): HttpError {
  return new HttpError(503, sentence, { headers: { 'retry-after': String(retrySeconds) }, rpcCode: -32000 });
}

function withoutScope(scope: Scope): HttpError {
  return new HttpError(403, lackingScope(scope), {
    challenge: { error: 'insufficient_scope', scope },
  });
}

function tooMany(sentence: string, waitMs: number): HttpError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new HttpError(429, `${sentence} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
    rpcCode: -32000,
  });
}

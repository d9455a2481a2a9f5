/** The one step in front of every route: who is asking, and whether they may. What is not let in here is not let in. */

import type { IncomingMessage } from 'node:http';
import {
  everybody,
  lackingScope,
  type Principal,
  type RateLimit,
  type Scope,
  type TokenPlace,
} from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { Challenge } from './challenge.ts';
import { countOf } from './check-origin.ts';
import { cookieOf, sameOriginFault } from './cookies.ts';
import { HttpError } from './read-request.ts';
import { doorOf, isMcp, isScope, type Needs, type Route, takesCookie } from './routes.ts';
import { countedAddress, isBridge, isFromHere, type Sender } from './sender.ts';

/** The principal of a token; undefined for one that is not good. It may reject with UNAUTHENTICATED or UNREACHABLE, with a reason. */
export type Authenticate = (token: string, place: TokenPlace) => Principal | undefined | Promise<Principal | undefined>;

export interface AuthenticatorOptions {
  /** null while the gateway was told to ask for no token. */
  readonly authenticate: () => Authenticate | null;
  /** Who is behind the cookie of a browser. */
  readonly browser: (cookie: string) => Principal | undefined;
  /** Tokens that were not good, by address. */
  readonly failures: RateLimit;
  /** Requests, by principal. */
  readonly requests: RateLimit;
  readonly onRefused: (address: string) => void;
}

export interface Visitor {
  /** undefined: a trusted front end that names somebody in each message, and nobody for itself. */
  readonly principal: Principal | undefined;
  readonly sender: Sender;
  /** Where tokens that came with the request were used. */
  readonly place: TokenPlace;
  /** Whether messages may name, by a token of their own, on whose behalf they are sent. */
  readonly speaksForOthers: boolean;
  /** The secret of the cookie that it came with. */
  readonly cookie?: string | undefined;
}

export class Authenticator {
  readonly #options: AuthenticatorOptions;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** Throws what the request is to be answered with where it may not come in. */
  async admit(request: IncomingMessage, route: Route, sender: Sender): Promise<Visitor> {
    const visitor = await this.#identify(request, route, sender);
    const { principal } = visitor;
    if (principal) this.check(principal, route.needs);
    return visitor;
  }

  /** What every principal has to pass, however it came here. */
  check(principal: Principal, needs: Needs): void {
    if (isScope(needs) && !principal.scopes.has(needs)) throw withoutScope(needs);
    const waitMs = this.#options.requests.take(principal.id);
    if (waitMs !== undefined) throw tooMany('This token sends too many requests.', waitMs);
  }

  /** The principal of a token that came from somewhere else than the header. */
  async ofToken(token: string, { sender, place }: Pick<Visitor, 'sender' | 'place'>): Promise<Principal> {
    const principal = await this.#tryToken(token, sender, place);
    if (principal) return principal;
    throw this.refused(sender);
  }

  /** A credential was not good: the answer to that, which is another one where it happens too often. */
  refused(sender: Sender, description?: string): HttpError {
    const address = countedAddress(sender.address);
    this.#options.onRefused(address);
    const waitMs = this.#options.failures.take(address);
    return waitMs === undefined
      ? unauthenticated({ error: 'invalid_token', description })
      : tooMany('Too many sign-ins from this address have failed.', waitMs);
  }

  async #tryToken(token: string, sender: Sender, place: TokenPlace): Promise<Principal | undefined> {
    try {
      return await this.#options.authenticate()?.(token, place);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { code, message: description, data } = error;
      if (code === 'UNREACHABLE') throw unknowable();
      // One that was good until lately is no guess: whoever brings it will get another, and should hear how.
      throw data?.isExpired
        ? unauthenticated({ error: 'invalid_token', description })
        : this.refused(sender, description);
    }
  }

  async #identify(request: IncomingMessage, route: Route, sender: Sender): Promise<Visitor> {
    const authenticate = this.#options.authenticate();
    const speaksForOthers = authenticate !== null && isMcp(route) && (sender.isTrusted || isBridge(request));
    const place = { isLocal: isFromHere(request, sender), door: doorOf(route) };
    const visitor = { sender, speaksForOthers, place };
    if (authenticate === null) return { ...visitor, principal: everybody };
    if (route.query.has('access_token')) throw tokenInUrl();
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      if (!/^Bearer\b/i.test(authorization)) throw unauthenticated();
      const token = bearerOf(request);
      // A good token is let in from anywhere, also where others fail too often: behind one address there may be many people.
      if (token === undefined) throw this.refused(sender);
      return { ...visitor, principal: await this.ofToken(token, visitor) };
    }
    const cookie = takesCookie(route, request.method) ? cookieOf(request) : undefined;
    const principal = cookie === undefined ? undefined : this.#options.browser(cookie);
    if (principal) {
      const fault = sameOriginFault(request, sender);
      if (fault) throw new HttpError(403, fault);
      return { ...visitor, principal, cookie };
    }
    if (sender.isTrusted && speaksForOthers && request.method === 'POST') return { ...visitor, principal: undefined };
    throw unauthenticated();
  }
}

/** Only one header, in its only form. */
function bearerOf(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization ?? '';
  return countOf(request, 'authorization') === 1 ? /^Bearer +(\S{1,8192})$/i.exec(header)?.[1] : undefined;
}

export function unauthenticated(challenge: Challenge = {}): HttpError {
  const need = 'A valid token is needed: send "Authorization: Bearer TOKEN".';
  const { description } = challenge;
  return new HttpError(401, description === undefined ? need : `${description} ${need}`, {
    challenge,
    rpcCode: -32000,
  });
}

/** Addresses are written down in logs and histories, and tokens must not be. */
function tokenInUrl(): HttpError {
  const description = 'A token in the address is not accepted; send it in the Authorization header only.';
  return new HttpError(400, description, { challenge: { error: 'invalid_request', description } });
}

/** A client should not throw such a token away. What is wrong with the issuer is in the log, and not for everybody. */
function unknowable(): HttpError {
  const sentence = 'Whether this token is good cannot be found out now: its issuer cannot be asked.';
  return new HttpError(503, sentence, { headers: { 'retry-after': '30' }, rpcCode: -32000 });
}

function withoutScope(scope: Scope): HttpError {
  return new HttpError(403, lackingScope(scope), {
    challenge: { error: 'insufficient_scope', scope },
  });
}

export function tooMany(sentence: string, waitMs: number): HttpError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new HttpError(429, `${sentence} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
    rpcCode: -32000,
  });
}

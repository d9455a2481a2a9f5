/** Lets in who comes with a token of the issuer that the owner named, where `access.auth` is "oauth". */

import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { type Config, type IssuerSettings, limits } from '../../config/config.ts';
import { type Principal, type Scope, scopeNames } from '../principal.ts';
import { digestOf } from '../tokens.ts';
import { type Bearer, bearerOf } from './bearer.ts';
import { Bearers } from './bearers.ts';
import { badToken, checkToken } from './check-token.ts';
import { findKeys } from './find-keys.ts';
import { IssuerKeys } from './issuer-keys.ts';

export interface IssuerAccessOptions {
  readonly config: () => Pick<Config, 'access' | 'oauth'>;
  /** Where the gateway listens; null while it does not. */
  readonly address: () => string | null;
  /** True while the optimizer is on: its scope is there only then. */
  readonly isOptimizing: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Public facts about the issuer of tokens for this gateway. */
export interface TokenIssuerFacts {
  /** The address of the gateway without a slash at its end. */
  readonly publicUrl: string;
  readonly issuer: string;
  /** The issuer's names of our scopes. */
  readonly scopes: Readonly<Record<Scope, string>>;
  /** Those that a caller can ask for now. */
  readonly offeredScopes: readonly string[];
}

/** The state of one issuer under one set of settings. */
interface IssuerState {
  readonly settings: IssuerSettings;
  readonly keys: IssuerKeys;
  /** Tokens that were checked, by digest, the one that was used last at the end. */
  readonly tokens: Map<string, Bearer>;
  readonly bearers: Bearers;
}

export class IssuerAccess {
  /** Somebody who was let in may not stay any more. */
  readonly changed = new Signal<void>();
  readonly #options: IssuerAccessOptions;
  #access: Config['access'] | undefined;
  #state: IssuerState | undefined;
  /** The settings that the state was made from. */
  #text: string | undefined;

  constructor(options: IssuerAccessOptions) {
    this.#options = options;
  }

  close(): void {
    this.#state?.bearers.clear();
  }

  /** null: tokens of an issuer are not asked for, or there is no address yet that they could be for. */
  facts(): TokenIssuerFacts | null {
    const settings = this.#currentState()?.settings;
    const publicUrl = settings && this.#publicUrl(settings);
    if (!settings || !publicUrl) return null;
    const { issuer, scopes } = settings;
    const offered = scopeNames.filter((scope) => scope !== 'optimize' || this.#options.isOptimizing());
    const offeredScopes = [...new Set(offered.map((scope) => scopes[scope]))];
    return { publicUrl, issuer: issuer ?? '', scopes, offeredScopes };
  }

  /** True if a token of the gateway's own is accepted. `isLocal` is not known for callers that are in already. */
  admitsOwn(principal: Principal, isLocal = true): boolean {
    const settings = this.#currentState()?.settings;
    return !settings || settings.keepTokens || (principal.id === 'owner' && isLocal);
  }

  /**
   * The bearer of a token at the door of a path; the empty path is everything that is no door. Throws UNAUTHENTICATED
   * with the reason, or UNREACHABLE where the issuer has to be asked and is away.
   */
  async authenticate(token: string, path: string): Promise<Bearer> {
    const state = this.#currentState();
    const facts = this.facts();
    if (!state || !facts) throw badToken('This gateway accepts no tokens of an issuer.');
    // Asked for with every request, so that they are renewed in time also where all tokens are known.
    await state.keys.current();
    const { losses } = state.keys;
    const digest = digestOf(token).toString('base64url');
    const known = state.tokens.get(digest);
    if (known && this.#options.clock.now() >= known.expiresAt) throw badToken('The token has expired.', true);
    const bearer = known ?? bearerOf(await checkToken(token, { ...state, clock: this.#options.clock }), state.settings);
    if (state.keys.losses !== losses) return this.authenticate(token, path);
    remember(state.tokens, digest, bearer);
    checkAudience(bearer, state.settings, facts.publicUrl, path);
    state.bearers.add(bearer);
    return bearer;
  }

  /** Somebody who came in before, as far as they may still be here. */
  find(principal: Principal): Bearer | undefined {
    return this.#currentState()?.bearers.find(principal);
  }

  #publicUrl({ publicUrl }: IssuerSettings): string | undefined {
    const written = publicUrl ?? this.#options.config().oauth.publicUrl ?? this.#options.address();
    const url = written === null ? null : URL.parse(written);
    return url === null ? undefined : `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  }

  /** Other settings start afresh: everybody here has to come in again. */
  #currentState(): IssuerState | undefined {
    const { access } = this.#options.config();
    if (access === this.#access) return this.#state;
    this.#access = access;
    const isOn = access.auth === 'oauth' && access.oauth.issuer !== null;
    const text = isOn ? JSON.stringify([access.oauth, access.privateHosts]) : undefined;
    if (text === this.#text) return this.#state;
    this.#text = text;
    this.#state?.bearers.clear();
    this.#state = isOn ? this.#makeState(access.oauth, access.privateHosts) : undefined;
    return this.#state;
  }

  #makeState(settings: IssuerSettings, privateHosts: readonly string[]): IssuerState {
    const { clock, log } = this.#options;
    const tokens = new Map<string, Bearer>();
    const bearers = new Bearers(clock, () => this.changed.emit());
    const onLost = () => {
      tokens.clear();
      bearers.clear();
      this.changed.emit();
    };
    const load = () => findKeys({ settings, privateHosts, clock });
    return { settings, tokens, bearers, keys: new IssuerKeys({ load, onLost, clock, log }) };
  }
}

/** A token that is also good somewhere else could be brought here from there, so that others must be named by the owner. */
function checkAudience({ audiences }: Bearer, settings: IssuerSettings, base: string, path: string): void {
  const ours = settings.audience === null ? [base, `${base}/`, `${base}${path}`] : [settings.audience];
  const isOnlyOurs = audiences.every((item) => ours.includes(item) || settings.otherAudiences.includes(item));
  if (!audiences.some((audience) => ours.includes(audience))) throw badToken('The token is for another audience.');
  if (!isOnlyOurs) throw badToken('The token is also for other audiences.');
}

function remember(tokens: Map<string, Bearer>, digest: string, bearer: Bearer): void {
  tokens.delete(digest);
  tokens.set(digest, bearer);
  const [oldest] = tokens.keys();
  if (tokens.size > limits.issuerTokens && oldest !== undefined) tokens.delete(oldest);
}

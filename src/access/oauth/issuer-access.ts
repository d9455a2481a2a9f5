/** Lets in who comes with a token of the issuer that the owner named, where `access.auth` is "oauth". */

import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { type Config, type IssuerSettings, limits } from '../../config/config.ts';
import { digestOf } from '../make-token.ts';
import type { Principal, Scope } from '../principal.ts';
import { badToken, checkToken } from './check-token.ts';
import { findKeys } from './find-keys.ts';
import { type Guest, guestOf } from './guest.ts';
import { GuestBook } from './guest-book.ts';
import { IssuerKeys } from './issuer-keys.ts';

export interface IssuerAccessOptions {
  readonly config: () => Pick<Config, 'access' | 'oauth'>;
  /** Where the gateway listens; null while it does not. */
  readonly address: () => string | null;
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
}

/** The state of one issuer under one set of settings. */
interface Desk {
  readonly settings: IssuerSettings;
  readonly keys: IssuerKeys;
  /** Tokens that were checked, by digest, the one that was used last at the end. */
  readonly tokens: Map<string, Guest>;
  readonly guests: GuestBook;
}

export class IssuerAccess {
  /** Somebody who was let in may not stay any more. */
  readonly changed = new Signal<void>();
  readonly #options: IssuerAccessOptions;
  #access: Config['access'] | undefined;
  #desk: Desk | undefined;
  /** The settings that the desk was made from. */
  #text: string | undefined;

  constructor(options: IssuerAccessOptions) {
    this.#options = options;
  }

  close(): void {
    this.#desk?.guests.clear();
  }

  /** null: tokens of an issuer are not asked for, or there is no address yet that they could be for. */
  facts(): TokenIssuerFacts | null {
    const settings = this.#openDesk()?.settings;
    const publicUrl = settings && this.#publicUrl(settings);
    if (!settings || !publicUrl) return null;
    return { publicUrl, issuer: settings.issuer ?? '', scopes: settings.scopes };
  }

  /** True if a token of the gateway's own is accepted. `isLocal` is not known for callers that are in already. */
  admitsOwn(principal: Principal, isLocal = true): boolean {
    const settings = this.#openDesk()?.settings;
    return !settings || settings.keepTokens || (principal.id === 'owner' && isLocal);
  }

  /**
   * The bearer of a token at the door of a path; the empty path is everything that is no door. Throws UNAUTHENTICATED
   * with the reason, or UNREACHABLE where the issuer has to be asked and is away.
   */
  async authenticate(token: string, path: string): Promise<Guest> {
    const desk = this.#openDesk();
    const facts = this.facts();
    if (!desk || !facts) throw badToken('Tokens of an issuer are not asked for here.');
    // Asked for with every request, so that they are renewed in time also where all tokens are known.
    await desk.keys.current();
    const { losses } = desk.keys;
    const digest = digestOf(token).toString('base64url');
    const known = desk.tokens.get(digest);
    if (known && this.#options.clock.now() >= known.expiresAt) throw badToken('The token has expired.', true);
    const guest = known ?? guestOf(await checkToken(token, { ...desk, clock: this.#options.clock }), desk.settings);
    if (desk.keys.losses !== losses) return this.authenticate(token, path);
    remember(desk.tokens, digest, guest);
    checkAudience(guest, desk.settings, facts.publicUrl, path);
    desk.guests.add(guest);
    return guest;
  }

  /** Somebody who came in before, as far as they may still be here. */
  find(principal: Principal): Guest | undefined {
    return this.#openDesk()?.guests.find(principal);
  }

  #publicUrl({ publicUrl }: IssuerSettings): string | undefined {
    const written = publicUrl ?? this.#options.config().oauth.publicUrl ?? this.#options.address();
    const url = written === null ? null : URL.parse(written);
    return url === null ? undefined : `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  }

  /** Other settings start afresh: everybody here has to come in again. */
  #openDesk(): Desk | undefined {
    const { access } = this.#options.config();
    if (access === this.#access) return this.#desk;
    this.#access = access;
    const isOn = access.auth === 'oauth' && access.oauth.issuer !== null;
    const text = isOn ? JSON.stringify([access.oauth, access.privateHosts]) : undefined;
    if (text === this.#text) return this.#desk;
    this.#text = text;
    this.#desk?.guests.clear();
    this.#desk = isOn ? this.#makeDesk(access.oauth, access.privateHosts) : undefined;
    return this.#desk;
  }

  #makeDesk(settings: IssuerSettings, privateHosts: readonly string[]): Desk {
    const { clock, log } = this.#options;
    const tokens = new Map<string, Guest>();
    const guests = new GuestBook(clock, () => this.changed.emit());
    const onLost = () => {
      tokens.clear();
      guests.clear();
      this.changed.emit();
    };
    const load = () => findKeys({ settings, privateHosts, clock });
    return { settings, tokens, guests, keys: new IssuerKeys({ load, onLost, clock, log }) };
  }
}

/** A token that is also good somewhere else could be brought here from there, so that others must be named by the owner. */
function checkAudience({ audiences }: Guest, settings: IssuerSettings, base: string, path: string): void {
  const ours = settings.audience === null ? [base, `${base}/`, `${base}${path}`] : [settings.audience];
  const isOnlyOurs = audiences.every((item) => ours.includes(item) || settings.otherAudiences.includes(item));
  if (!audiences.some((audience) => ours.includes(audience)))
    throw badToken('The token is made out to another audience.');
  if (!isOnlyOurs) throw badToken('The token is made out to others, too.');
}

function remember(tokens: Map<string, Guest>, digest: string, guest: Guest): void {
  tokens.delete(digest);
  tokens.set(digest, guest);
  const [oldest] = tokens.keys();
  if (tokens.size > limits.issuerTokens && oldest !== undefined) tokens.delete(oldest);
}

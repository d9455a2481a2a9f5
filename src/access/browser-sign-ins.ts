/** Browsers that are signed in, each by a link that worked once and with a token of its own. Only hashes of both are kept. */

import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type Config, limits } from '../config/config.ts';
import { type BrowserStore, OrderedReads, type StoredBrowser, type StoreSharing } from '../store/store.ts';
import type { Principal } from './principal.ts';
import { type Admitted, digestOf, isStoredPrincipal, makeToken } from './tokens.ts';

export interface BrowserSignInOptions {
  readonly store: Omit<BrowserStore, 'findBrowser'> & Pick<StoreSharing, 'isShared'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The id of this replica, named in codes; null: there are no others. */
  readonly replica: string | null;
  /** A principal as it is now; undefined once it may not come in any more. */
  readonly renew: (principal: Principal) => Principal | undefined;
  /** The token that a principal has now; undefined for those without one of the gateway's own. */
  readonly tokenOf: (principal: string) => Pick<Admitted, 'digest' | 'expiresAt'> | undefined;
  /** Called when a browser was signed in or out. */
  readonly onChange: () => void;
}

interface Code {
  readonly principal: Principal;
  readonly madeAt: number;
  readonly isUsed: boolean;
}

/** `gone`: it has expired unused, or is none of ours. */
export type CodeState = 'waiting' | 'used' | 'gone';

export interface SignedInBrowser {
  readonly token: string;
  /** Moves on while the token is used. */
  readonly expiresAt: number;
  readonly principal: Principal;
}

export class BrowserSignIns {
  readonly #options: BrowserSignInOptions;
  /** By digest, so that the time of a lookup says nothing about how much of a wrong code is right. */
  readonly #codes = new Map<string, Code>();
  #browsers = new Map<string, StoredBrowser>();
  /** Changes that the store does not have yet; null: signed out. */
  readonly #unwritten = new Map<string, StoredBrowser | null>();
  readonly #reads = new OrderedReads();
  #saving: Promise<void> = Promise.resolve();

  constructor(options: BrowserSignInOptions) {
    this.#options = options;
  }

  /** Takes over what the store has, also of other gateways. */
  read(): Promise<void> {
    return this.#reads.read(
      () => this.#options.store.listBrowsers(),
      (stored) => this.#adopt(stored),
    );
  }

  #adopt(stored: readonly StoredBrowser[]): void {
    const all = new Map<string, StoredBrowser | null>(stored.map((browser) => [browser.digest, browser]));
    for (const [digest, browser] of this.#unwritten) all.set(digest, browser);
    this.#browsers = new Map([...all].flatMap(([digest, browser]) => (browser ? [[digest, browser] as const] : [])));
  }

  /** For a link with which a browser signs in as this principal, once and soon. */
  makeCode(principal: Principal): string {
    const { replica } = this.#options;
    const secret = replica === null ? makeToken() : `${replica}.${makeToken()}`;
    this.#dropCodes();
    for (const key of this.#codes.keys()) if (this.#codes.size >= limits.maxSignInCodes) this.#codes.delete(key);
    this.#codes.set(keyOf(secret), { principal, madeAt: this.#options.clock.elapsed(), isUsed: false });
    return secret;
  }

  /** Known for as long as a link is good. */
  stateOf(secret: string): CodeState {
    this.#dropCodes();
    const code = this.#codes.get(keyOf(secret));
    if (!code) return 'gone';
    return code.isUsed ? 'used' : 'waiting';
  }

  /** Signs a browser in; undefined for an invalid, used or expired code. */
  redeem(secret: string): SignedInBrowser | undefined {
    this.#dropCodes();
    const code = this.#codes.get(keyOf(secret));
    if (!code || code.isUsed) return undefined;
    this.#codes.set(keyOf(secret), { ...code, isUsed: true });
    const principal = this.#options.renew(code.principal);
    const signer = principal && this.#options.tokenOf(principal.id);
    if (!principal || !signer) return undefined;
    const token = makeToken();
    const digest = keyOf(token);
    const madeAt = this.#options.clock.now();
    // A browser cannot outlive itself by a link of its own.
    const maker = principal.browser === undefined ? undefined : this.find(principal.browser);
    const endsAt = Math.min(maker?.endsAt ?? madeAt + limits.browserMs, signer.expiresAt ?? Infinity);
    const expiresAt = Math.min(madeAt + limits.browserIdleMs, endsAt);
    this.#makeRoom();
    const times = { madeAt, usedAt: madeAt, expiresAt, endsAt };
    const browser = { digest, principal: principal.id, signedInBy: signer.digest.toString('hex'), ...times };
    this.#keep(browser);
    this.#options.onChange();
    return { token, expiresAt, principal: { ...principal, browser: digest } };
  }

  /** True for the token of a browser that was signed in and has not signed out. */
  isKnown(token: string): boolean {
    return this.#browsers.has(keyOf(token));
  }

  /** The browser of a token, which was used now. */
  use(token: string): StoredBrowser | undefined {
    const browser = this.find(keyOf(token));
    if (!browser) return undefined;
    const usedAt = this.#options.clock.now();
    // Not with every request: a browser that was used a moment ago may as well be signed out a moment early.
    if (usedAt < browser.usedAt + limits.tokenUseWriteMs) return browser;
    const used = { ...browser, usedAt, expiresAt: Math.min(usedAt + limits.browserIdleMs, browser.endsAt) };
    this.#keep(used);
    return used;
  }

  /** A browser that is signed in, by the digest of its token. */
  find(digest: string): StoredBrowser | undefined {
    const browser = this.#browsers.get(digest);
    if (!browser || this.#options.clock.now() >= browser.expiresAt) return undefined;
    const signer = this.#options.tokenOf(browser.principal);
    return signer && this.#isOf(browser, signer) ? browser : undefined;
  }

  /** Gateways that share a store have folders with tokens of their own, and each takes the owners of all. */
  #isOf({ principal, signedInBy }: StoredBrowser, { digest }: Pick<Admitted, 'digest'>): boolean {
    return signedInBy === digest.toString('hex') || (this.#options.store.isShared && !isStoredPrincipal(principal));
  }

  /** Those that are signed in, the latest first. */
  list(): readonly StoredBrowser[] {
    return [...this.#browsers.values()].filter(({ digest }) => this.find(digest)).sort((a, b) => b.madeAt - a.madeAt);
  }

  /** From here on nobody comes in with its token; rejects where that would not survive a restart. */
  async end(digest: string): Promise<void> {
    if (!this.#browsers.delete(digest)) return;
    this.#options.onChange();
    await this.#write(digest, null);
  }

  /** The next time at which a browser is signed out unless it is used; null: none will. */
  nextExpiry(now: number): number | null {
    const next = Math.min(...[...this.#browsers.values()].map(({ expiresAt }) => expiresAt).filter((at) => at > now));
    return Number.isFinite(next) ? next : null;
  }

  /** Nobody waits for the store: when it is locked or full, the owner has to be able to look why. */
  #keep(browser: StoredBrowser): void {
    this.#browsers.set(browser.digest, browser);
    this.#saving = this.#write(browser.digest, browser).catch(this.#warn);
  }

  /** Resolves when other gateways find the browser that was signed in last, as far as the store can be written. */
  async shared(): Promise<void> {
    if (this.#options.store.isShared) await this.#saving;
  }

  async #write(digest: string, browser: StoredBrowser | null): Promise<void> {
    const { store } = this.#options;
    this.#unwritten.set(digest, browser);
    await (browser ? store.saveBrowser(browser) : store.removeBrowser(digest));
    this.#reads.noteChange();
    if (this.#unwritten.get(digest) === browser) this.#unwritten.delete(digest);
  }

  readonly #warn = (error: unknown): void =>
    this.#options.log.warn('A browser could not be written to the store; a restart may sign it out', { error });

  /** For one more: those that are signed out by now go, and if there are still too many, those that were quiet longest. */
  #makeRoom(): void {
    const quietFirst = [...this.#browsers.values()].sort((a, b) => a.expiresAt - b.expiresAt);
    const tooMany = quietFirst.length + 1 - limits.maxBrowsers;
    for (const [at, { digest }] of quietFirst.entries())
      if (at < tooMany || !this.find(digest)) this.end(digest).catch(this.#warn);
  }

  #dropCodes(): void {
    const oldest = this.#options.clock.elapsed() - limits.signInCodeMs;
    for (const [key, { madeAt }] of this.#codes) if (madeAt <= oldest) this.#codes.delete(key);
  }
}

/** Where browsers reach the gateway, if that is not the address that it listens on. */
export function publicPageOf({ oauth, access }: Pick<Config, 'oauth' | 'access'>): URL | null {
  const written = oauth.publicUrl ?? access.oauth.publicUrl;
  return written === null ? null : URL.parse(written.replace(/\/*$/, '/'));
}

/** For people to name a browser by: says nothing about its token. */
export function browserIdOf(digest: string): string {
  return keyOf(digest).slice(0, 8);
}

function keyOf(secret: string): string {
  return digestOf(secret).toString('hex');
}

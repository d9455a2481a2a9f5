/** The tokens that are valid now, of the store and of the data folder, and the projects. */

import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import { limits } from '../config/config.ts';
import {
  type BrowserStore,
  OrderedReads,
  type StoreChanges,
  type StoredToken,
  StoreFollower,
  type StoreSharing,
  type TokenStore,
} from '../store/store.ts';
import { BrowserSignIns } from './browser-sign-ins.ts';
import type { FileTokens } from './file-tokens.ts';
import type { Bearer } from './oauth/bearer.ts';
import type { IssuerAccess } from './oauth/issuer-access.ts';
import { everybody, type Principal } from './principal.ts';
import { type Project, projectOf } from './project.ts';
import type { Projects } from './projects.ts';
import { TokenLookups } from './token-lookups.ts';
import {
  AccessState,
  type Admitted,
  digestOf,
  isStoredPrincipal,
  makeToken,
  principalIdOf,
  TokenUses,
} from './tokens.ts';

/** The part of the projects that access needs. */
type ProjectSource = Pick<Projects, 'find' | 'list' | 'reload' | 'changed'>;

export interface AccessOptions {
  readonly store: TokenStore & BrowserStore & StoreChanges & StoreSharing;
  /** The two tokens of the data folder. */
  readonly files: FileTokens;
  readonly projects: ProjectSource;
  /** Left out, only tokens of the gateway's own let somebody in. */
  readonly issuer?: IssuerAccess | undefined;
  /** How long what was read counts while the store cannot be reached. */
  readonly cacheMs: () => number;
  /** The id of this replica; null or left out: there are no others. */
  readonly replica?: string | null | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where a token was used. */
export interface TokenOrigin {
  /** True if the request comes from this machine. */
  readonly isLocal: boolean;
  /** The path of the door; empty for everything that is no door. */
  readonly door: string;
  /** True if the token of a browser lets in there. */
  readonly isForBrowsers: boolean;
}

/** The owner's settings of a new token. */
export type NewToken = Pick<
  StoredToken,
  'name' | 'scopes' | 'servers' | 'project' | 'surface' | 'createdBy' | 'expiresAt'
>;

/** The limits of a token that its principal does not hold. */
export interface TokenTerms {
  readonly project: string | null;
  readonly expiresAt: number | null;
}

export class AccessControl {
  /** Somebody may do other things than before, or may not come in any more. */
  readonly changed = new Signal<void>();
  /** Browsers that are signed in. */
  readonly signIns: BrowserSignIns;
  readonly #options: AccessOptions;
  readonly #uses: TokenUses;
  readonly #stops: (() => void)[] = [];
  readonly #follower: StoreFollower;
  readonly #lookups: TokenLookups;
  #state: AccessState;
  #stored: readonly StoredToken[] = [];
  readonly #reads = new OrderedReads();
  #expiring: Timer | undefined;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#uses = new TokenUses(options);
    this.signIns = new BrowserSignIns({
      ...options,
      replica: options.replica ?? null,
      renew: (principal) => this.renew(principal),
      tokenOf: (principal) => this.#state.of(principal),
      onChange: () => this.#tellOfChange(),
    });
    this.#state = new AccessState(options.files.known, []);
    this.#lookups = new TokenLookups(options);
    this.#follower = new StoreFollower({
      ...options,
      subject: 'Tokens, projects and browsers',
      isMeant: ({ type }) => type === 'access' || type === 'browsers',
      read: (told) => this.#readAgain(new Set(told.map(({ type }) => type))),
    });
  }

  async open(): Promise<void> {
    const { projects } = this.#options;
    if (this.#stops.length > 0) return;
    this.#stops.push(projects.changed.on(() => this.changed.emit()));
    if (this.issuer) this.#stops.push(this.issuer.changed.on(() => this.changed.emit()));
    await this.#follower.open(async () => {
      await this.signIns.read();
      await this.#readTokens();
    });
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#expiring?.cancel();
    this.issuer?.close();
    await this.#follower.close();
    await this.#uses.close();
  }

  /** Where tokens of somebody else may let people in. */
  get issuer(): IssuerAccess | undefined {
    return this.#options.issuer;
  }

  /**
   * The principal of whatever a request came with. Rejects with UNAUTHENTICATED, UNREACHABLE or STORE_BROKEN where there is a
   * reason to tell. On a shared store a token that is unknown here may have been made by another gateway a moment ago.
   */
  admit(token: string, origin: TokenOrigin): Principal | undefined | Promise<Principal | undefined> {
    const { issuer } = this;
    // Three parts with dots between them are a token of an issuer; none of ours has a dot.
    if (issuer?.facts() && token.split('.', 4).length === 3)
      return issuer.authenticate(token, origin.door).then((bearer) => this.#inOwnProject(bearer));
    if (this.#isKnown(token, origin)) return this.#admitOwn(token, origin);
    return this.#lookups.mayAsk(token) ? this.#admitNew(token, origin) : undefined;
  }

  #isKnown(token: string, origin: TokenOrigin): boolean {
    return this.#state.find(token) !== undefined || (origin.isForBrowsers && this.signIns.isKnown(token));
  }

  async #admitNew(token: string, origin: TokenOrigin): Promise<Principal | undefined> {
    if (this.#options.store.unheardSince !== null) throw unreachable();
    if (!(await this.#lookups.ask(token))) return undefined;
    await this.#readAgain(new Set(['access', 'browsers']));
    return this.#admitOwn(token, origin);
  }

  #admitOwn(token: string, origin: TokenOrigin): Principal | undefined {
    const known = this.#state.find(token);
    const browser = known || !origin.isForBrowsers ? undefined : this.signIns.use(token);
    const own = known ?? (browser && this.#state.of(browser.principal));
    if (!own || this.issuer?.admitsOwn(own.principal, origin.isLocal) === false) return undefined;
    // The owner of the data folder has to be able to look why.
    if (!isOwnerOfFolder(own.principal) && this.isOutdated) throw unreachable();
    return inBrowser(this.#enter(own), browser?.digest);
  }

  /** True if other gateways may have changed rights, and nothing could be read for longer than the owner allows. */
  get isOutdated(): boolean {
    const { store, clock, cacheMs } = this.#options;
    const since = Math.min(store.unheardSince ?? Infinity, this.#follower.unreadSince ?? Infinity);
    return store.isShared && clock.elapsed() - since > cacheMs();
  }

  /** The principal of a token, in a time that does not depend on how much of it is right. */
  authenticate(token: string): Principal | undefined {
    const found = this.#state.find(token);
    return found && this.#enter(found);
  }

  #enter(found: Admitted): Principal | undefined {
    if (this.#isExpired(found)) return undefined;
    this.#uses.note(found.principal.id);
    return this.#inOwnProject(found);
  }

  /** The principal of the token with this name, as it would come in now; does not count as a use. */
  principalNamed(name: string): Principal | undefined {
    const stored = this.#stored.find((token) => token.name === name && token.revokedAt === null);
    const found = this.#state.of(stored ? principalIdOf(stored.id) : name);
    return found && !this.#isExpired(found) ? this.#inOwnProject(found) : undefined;
  }

  /** A principal as it is now; undefined once it may not come in any more. */
  renew(principal: Principal): Principal | undefined {
    if (principal.id === everybody.id) return this.#inProject(principal, principal.project?.name);
    const { browser } = principal;
    if (browser !== undefined && !this.signIns.find(browser)) return undefined;
    const own = this.#state.of(principal.id);
    if (own && (this.#isExpired(own) || this.issuer?.admitsOwn(own.principal) === false)) return undefined;
    const found = own ?? this.issuer?.find(principal);
    if (!found) return undefined;
    const project = found.project ?? principal.project?.name;
    return inBrowser(this.#inProject(found.principal, project), browser);
  }

  /** True for the owner of a token that the gateway made. */
  isOwn(principal: Principal): boolean {
    return this.#state.of(principal.id) !== undefined;
  }

  /** Both are null for a caller without a token. */
  termsOf(principal: Principal): TokenTerms {
    const { project = null, expiresAt = null } = this.#state.of(principal.id) ?? this.issuer?.find(principal) ?? {};
    return { project, expiresAt };
  }

  /** The name of a principal by its id; the id itself once it is unknown. */
  nameOf(id: string): string {
    return this.#stored.find((token) => principalIdOf(token.id) === id)?.name ?? id;
  }

  /** Those that can still be used and were made with a token, or with one that was made with it. */
  tokensMadeBy(id: string): readonly StoredToken[] {
    const now = this.#options.clock.now();
    const made = this.#stored.filter(({ createdBy }) => createdBy === principalIdOf(id));
    const isGood = ({ revokedAt, expiresAt }: StoredToken) => revokedAt === null && (expiresAt ?? now + 1) > now;
    return made.flatMap((token) => [...(isGood(token) ? [token] : []), ...this.tokensMadeBy(token.id)]);
  }

  project(name: string): Project | undefined {
    return this.#options.projects.find(name);
  }

  projects(): readonly Project[] {
    return this.#options.projects.list();
  }

  /** When somebody came last, since the start; undefined where nobody did. */
  lastUse(principal: string): number | undefined {
    return this.#uses.lastUse(principal);
  }

  /** Those of the store, with those that have ended; the last use is the latest that is known. */
  tokens(): readonly StoredToken[] {
    return this.#stored.map((token) => {
      const used = this.#uses.lastUse(principalIdOf(token.id)) ?? 0;
      return used > (token.lastUsedAt ?? 0) ? { ...token, lastUsedAt: used } : token;
    });
  }

  /** Makes a token and returns it, once: the store keeps only its digest. */
  async createToken(id: string, wanted: NewToken): Promise<string> {
    const { store, clock } = this.#options;
    const token = makeToken();
    const now = clock.now();
    await store.removeEndedTokens(now - limits.endedTokenMs);
    const digest = digestOf(token).toString('hex');
    const stored = { ...wanted, id, digest, createdAt: now, revokedAt: null, lastUsedAt: null };
    await store.addToken(stored);
    this.#reads.noteChange();
    this.#adopt([...this.#stored.filter((item) => item.id !== id), stored]);
    return token;
  }

  /** From here on nobody comes in with it. False where it was revoked already, or never made. */
  async revokeToken(id: string): Promise<boolean> {
    const { store, clock } = this.#options;
    const revokedAt = clock.now();
    const isRevoked = await store.revokeToken(id, revokedAt);
    this.#reads.noteChange();
    // Also where it was revoked already: this gateway may not have heard of that.
    this.#adopt(
      this.#stored.map((item) => (item.id === id ? { ...item, revokedAt: item.revokedAt ?? revokedAt } : item)),
    );
    return isRevoked;
  }

  #isExpired({ expiresAt }: Admitted): boolean {
    return expiresAt !== null && this.#options.clock.now() >= expiresAt;
  }

  /** A token that is bound to a project that is gone finds nothing there, rather than everything. */
  #inOwnProject({ principal, project }: Admitted | Bearer): Principal {
    return project === null ? principal : this.#inProject(principal, project);
  }

  #inProject(principal: Principal, name: string | undefined): Principal {
    if (name === undefined) return principal;
    return { ...principal, project: this.project(name) ?? projectOf(name) };
  }

  async #readAgain(types: ReadonlySet<string>): Promise<void> {
    if (types.has('browsers')) await this.signIns.read();
    if (types.has('access')) {
      await this.#readTokens();
      await this.#options.projects.reload();
    } else this.#tellOfChange();
  }

  #readTokens(): Promise<void> {
    return this.#reads.read(
      () => this.#options.store.listTokens(),
      (stored) => this.#adopt(stored),
    );
  }

  #adopt(stored: readonly StoredToken[]): void {
    this.#stored = stored;
    this.#state = new AccessState(this.#options.files.known, stored);
    this.#tellOfChange();
  }

  #tellOfChange(): void {
    this.changed.emit();
    this.#awaitExpiry();
  }

  /** Streams end when their token expires, or their browser is signed out; the wall clock may be set meanwhile. */
  #awaitExpiry(): void {
    const { clock } = this.#options;
    this.#expiring?.cancel();
    const now = clock.now();
    const next = Math.min(this.#state.nextExpiry(now) ?? Infinity, this.signIns.nextExpiry(now) ?? Infinity);
    if (!Number.isFinite(next)) return;
    this.#expiring = clock.after(Math.min(next - now, limits.expiryLookMs), () => {
      if (clock.now() >= next) this.changed.emit();
      this.#awaitExpiry();
    });
  }
}

function unreachable(): GatewayError {
  return new GatewayError('STORE_BROKEN', "Can't verify the token: the store is unreachable.");
}

function isOwnerOfFolder({ id, scopes }: Principal): boolean {
  return !isStoredPrincipal(id) && scopes.has('admin');
}

function inBrowser(principal: Principal | undefined, browser: string | undefined): Principal | undefined {
  return principal && browser !== undefined ? { ...principal, browser } : principal;
}

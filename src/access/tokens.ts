/** Tokens: how one is made and known again without being kept, the index of all valid ones, and when each was last used. */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock, Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { limits, type SurfaceName, surfaceNames } from '../config/config.ts';
import type { StoredToken, TokenStore } from '../store/store.ts';
import type { KnownToken } from './file-tokens.ts';
import { type Principal, type Scope, scopesIn } from './principal.ts';

/** A token that may come in, until it expires. */
export interface Admitted extends KnownToken {
  readonly expiresAt: number | null;
  /** The project that the token is bound to. */
  readonly project: string | null;
}

export class AccessState {
  readonly #byDigest = new Map<string, Admitted>();
  readonly #byPrincipal = new Map<string, Admitted>();

  constructor(files: readonly KnownToken[], stored: readonly StoredToken[]) {
    for (const known of files) this.#add({ ...known, expiresAt: null, project: null });
    for (const token of stored) if (token.revokedAt === null) this.#add(admit(token));
  }

  /** By digest: how much of a wrong token is right makes no difference to how long this takes. */
  find(token: string): Admitted | undefined {
    const digest = digestOf(token);
    const found = this.#byDigest.get(digest.toString('hex'));
    return found && timingSafeEqual(found.digest, digest) ? found : undefined;
  }

  of(principal: string): Admitted | undefined {
    return this.#byPrincipal.get(principal);
  }

  /** The next time at which a token expires; null: none will. */
  nextExpiry(now: number): number | null {
    let next: number | null = null;
    for (const { expiresAt } of this.#byPrincipal.values())
      if (expiresAt !== null && expiresAt > now && (next === null || expiresAt < next)) next = expiresAt;
    return next;
  }

  #add(item: Admitted): void {
    this.#byDigest.set(item.digest.toString('hex'), item);
    this.#byPrincipal.set(item.principal.id, item);
  }
}

/** Scopes and surfaces that this version does not know give nothing. */
function admit(token: StoredToken): Admitted {
  const scopes = scopesIn(token.scopes);
  const surface = surfaceNames.find((name) => name === token.surface);
  return {
    digest: Buffer.from(token.digest, 'hex'),
    principal: principalOf(token, scopes, surface),
    expiresAt: token.expiresAt,
    project: token.project,
  };
}

function principalOf(token: StoredToken, scopes: readonly Scope[], surface: SurfaceName | undefined): Principal {
  return Object.freeze({
    id: principalIdOf(token.id),
    name: token.name,
    scopes: new Set(scopes),
    servers: token.servers ?? undefined,
    surface,
    mark: JSON.stringify([scopes, token.servers, token.project, surface]),
  });
}

export function principalIdOf(tokenId: string): string {
  return `${prefix}${tokenId}`;
}

/** True for principals whose tokens are in the store. */
export function isStoredPrincipal(id: string): boolean {
  return id.startsWith(prefix);
}

interface UsesOptions {
  readonly store: Pick<TokenStore, 'saveTokenUses'>;
  readonly clock: Clock;
  readonly log: Log;
}

const prefix = 'token:';

export class TokenUses {
  readonly #options: UsesOptions;
  readonly #last = new Map<string, number>();
  #unwritten = new Map<string, number>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: UsesOptions) {
    this.#options = options;
  }

  /** Written down is the use of tokens of the store; of others it is known since the start. */
  note(principal: string): void {
    if (this.#isClosed) return;
    const now = this.#options.clock.now();
    this.#last.set(principal, now);
    if (!isStoredPrincipal(principal)) return;
    this.#unwritten.set(principal.slice(prefix.length), now);
    this.#timer ??= this.#options.clock.after(limits.tokenUseWriteMs, () => {
      this.#timer = undefined;
      void this.#write();
    });
  }

  /** undefined: not since the start. */
  lastUse(principal: string): number | undefined {
    return this.#last.get(principal);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#write();
  }

  /** It is worth a line in the log, not a request, when this cannot be written. */
  async #write(): Promise<void> {
    const uses = this.#unwritten;
    if (uses.size === 0) return;
    this.#unwritten = new Map();
    await this.#options.store
      .saveTokenUses(uses)
      .catch((error: unknown) => this.#options.log.warn('The last use of tokens could not be written', { error }));
  }
}

/** True for what `makeToken` may have made. */
export function isToken(text: string): boolean {
  return /^tc_[\w-]{43}$/.test(text);
}

/** 256 random bits with a mark in front, by which people and scanners know what it is. */
export function makeToken(): string {
  return `tc_${randomBytes(32).toString('base64url')}`;
}

/** The stored hash of a token. It needs no salt and no slow hash: nobody guesses 256 random bits. */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

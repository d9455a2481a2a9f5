/** An immutable index of all valid tokens, by digest and by the id of their principal. */

import { timingSafeEqual } from 'node:crypto';
import { type SurfaceName, surfaceNames } from '../config/config.ts';
import type { StoredToken } from '../store/store.ts';
import type { KnownToken } from './file-tokens.ts';
import { digestOf } from './make-token.ts';
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
  return `token:${tokenId}`;
}

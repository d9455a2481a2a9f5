/** Principals that came in with tokens of the issuer, until the last of those tokens expires. */

import type { Clock, Timer } from '../../base/clock.ts';
import { limits } from '../../config/config.ts';
import type { Principal } from '../principal.ts';
import { type Bearer, limitsIn } from './bearer.ts';

export class Bearers {
  readonly #clock: Clock;
  readonly #onExpired: () => void;
  /** By the id of the principal, and then by what it may do: tokens of one person can differ in that. */
  readonly #bearers = new Map<string, Map<string, Bearer>>();
  #size = 0;
  #timer: Timer | undefined;
  #nextAt = Number.POSITIVE_INFINITY;

  /** `onExpired`: somebody may not stay any more. */
  constructor(clock: Clock, onExpired: () => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** A valid token extends the stay of everybody who came in with an equal one. */
  add(bearer: Bearer): void {
    const { id, mark } = bearer.principal;
    const before = this.#bearers.get(id)?.get(mark);
    if (before && before.expiresAt >= bearer.expiresAt) return;
    if (!before && this.#size >= limits.issuerBearers) this.#makeRoom();
    const own = this.#bearers.get(id) ?? new Map<string, Bearer>();
    this.#bearers.set(id, own.set(mark, bearer));
    if (!before) this.#size += 1;
    if (bearer.expiresAt < this.#nextAt) this.#await(bearer.expiresAt);
  }

  /** A principal with more scopes by now keeps those it came with. Undefined: none of its tokens is valid any more. */
  find(principal: Principal): Bearer | undefined {
    const own = this.#bearers.get(principal.id);
    const same = own?.get(principal.mark);
    if (same && this.#isGood(same)) return same;
    const wanted = limitsIn(principal.mark);
    for (const bearer of own?.values() ?? []) {
      const isWider =
        principal.scopes.isSubsetOf(bearer.principal.scopes) && limitsIn(bearer.principal.mark) === wanted;
      if (isWider && this.#isGood(bearer)) return { ...bearer, principal: { ...principal, project: undefined } };
    }
    return undefined;
  }

  clear(): void {
    this.#timer?.cancel();
    this.#nextAt = Number.POSITIVE_INFINITY;
    this.#bearers.clear();
    this.#size = 0;
  }

  #isGood({ expiresAt }: Bearer): boolean {
    return this.#clock.now() < expiresAt;
  }

  #all(): Bearer[] {
    return [...this.#bearers.values()].flatMap((own) => [...own.values()]);
  }

  #remove({ principal: { id, mark } }: Bearer): void {
    const own = this.#bearers.get(id);
    if (!own?.delete(mark)) return;
    this.#size -= 1;
    if (own.size === 0) this.#bearers.delete(id);
  }

  #makeRoom(): void {
    const [first] = this.#all().sort((a, b) => a.expiresAt - b.expiresAt);
    if (!first) return;
    this.#remove(first);
    this.#onExpired();
  }

  /** The wall clock may be set meanwhile, so that it is looked at now and then. */
  #await(at: number): void {
    this.#timer?.cancel();
    this.#nextAt = at;
    const wait = Math.max(0, at - this.#clock.now());
    this.#timer = this.#clock.after(Math.min(wait, limits.expiryLookMs), () => this.#look());
  }

  #look(): void {
    this.#nextAt = Number.POSITIVE_INFINITY;
    const gone = this.#all().filter((bearer) => !this.#isGood(bearer));
    for (const bearer of gone) this.#remove(bearer);
    if (gone.length > 0) this.#onExpired();
    const next = this.#all().reduce((least, { expiresAt }) => Math.min(least, expiresAt), Number.POSITIVE_INFINITY);
    if (Number.isFinite(next)) this.#await(next);
  }
}

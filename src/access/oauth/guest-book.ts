/** Principals that came in with tokens of the issuer, until the last of those tokens expires. */

import type { Clock, Timer } from '../../base/clock.ts';
import { limits } from '../../config/config.ts';
import type { Principal } from '../principal.ts';
import { type Guest, limitsIn } from './guest.ts';

export class GuestBook {
  readonly #clock: Clock;
  readonly #onExpired: () => void;
  /** By the id of the principal, and then by what it may do: tokens of one person can differ in that. */
  readonly #guests = new Map<string, Map<string, Guest>>();
  #size = 0;
  #timer: Timer | undefined;
  #nextAt = Number.POSITIVE_INFINITY;

  /** `onExpired`: somebody may not stay any more. */
  constructor(clock: Clock, onExpired: () => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** A token of somebody was good: whoever came in with another one that said the same may stay as long as with this one. */
  add(guest: Guest): void {
    const { id, mark } = guest.principal;
    const before = this.#guests.get(id)?.get(mark);
    if (before && before.expiresAt >= guest.expiresAt) return;
    if (!before && this.#size >= limits.issuerGuests) this.#makeRoom();
    const own = this.#guests.get(id) ?? new Map<string, Guest>();
    this.#guests.set(id, own.set(mark, guest));
    if (!before) this.#size += 1;
    if (guest.expiresAt < this.#nextAt) this.#await(guest.expiresAt);
  }

  /** A principal with more scopes by now keeps those it came with. Undefined: none of its tokens is valid any more. */
  find(principal: Principal): Guest | undefined {
    const own = this.#guests.get(principal.id);
    const same = own?.get(principal.mark);
    if (same && this.#isGood(same)) return same;
    const wanted = limitsIn(principal.mark);
    for (const guest of own?.values() ?? []) {
      const isWider = principal.scopes.isSubsetOf(guest.principal.scopes) && limitsIn(guest.principal.mark) === wanted;
      if (isWider && this.#isGood(guest)) return { ...guest, principal: { ...principal, project: undefined } };
    }
    return undefined;
  }

  clear(): void {
    this.#timer?.cancel();
    this.#nextAt = Number.POSITIVE_INFINITY;
    this.#guests.clear();
    this.#size = 0;
  }

  #isGood({ expiresAt }: Guest): boolean {
    return this.#clock.now() < expiresAt;
  }

  #all(): Guest[] {
    return [...this.#guests.values()].flatMap((own) => [...own.values()]);
  }

  #remove({ principal: { id, mark } }: Guest): void {
    const own = this.#guests.get(id);
    if (!own?.delete(mark)) return;
    this.#size -= 1;
    if (own.size === 0) this.#guests.delete(id);
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
    const gone = this.#all().filter((guest) => !this.#isGood(guest));
    for (const guest of gone) this.#remove(guest);
    if (gone.length > 0) this.#onExpired();
    const next = this.#all().reduce((least, { expiresAt }) => Math.min(least, expiresAt), Number.POSITIVE_INFINITY);
    if (Number.isFinite(next)) this.#await(next);
  }
}

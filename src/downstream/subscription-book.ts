/** Subscriptions to resources: kept apart from the links, so that they outlive every one of them. */

import type { Era } from '../protocol/eras.ts';

/** One subscriber's wish to hear of changes of one resource; each wish is withdrawn on its own. */
export interface Wish {
  readonly server: string;
  /** As the server knows it. */
  readonly uri: string;
  readonly era: Era;
  /** Tells subscribers apart where the server must not be shared. */
  readonly session: string | undefined;
}

export class SubscriptionBook {
  readonly #wishes = new Map<string, Set<Wish>>();

  add(wish: Wish): void {
    const wishes = this.#wishes.get(wish.server) ?? new Set();
    this.#wishes.set(wish.server, wishes.add(wish));
  }

  /** False when it had been withdrawn before. */
  remove(wish: Wish): boolean {
    const wishes = this.#wishes.get(wish.server);
    if (!wishes?.delete(wish)) return false;
    if (wishes.size === 0) this.#wishes.delete(wish.server);
    return true;
  }

  of(server: string): ReadonlySet<Wish> {
    return this.#wishes.get(server) ?? new Set();
  }

  ofSession(session: string): Wish[] {
    return [...this.#wishes.values()].flatMap((wishes) => [...wishes].filter((wish) => wish.session === session));
  }
}

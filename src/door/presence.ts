/** Who is here right now: everything that is open for a principal, so that it can be ended when the principal may not stay. */

export interface Visit {
  /** Whether who is visiting may still be here, as things are now. */
  readonly mayStay: () => boolean;
  readonly end: () => void;
}

export class Presence {
  readonly #visits = new Set<Visit>();

  /** Returns the function that says it is over. */
  add(visit: Visit): () => void {
    this.#visits.add(visit);
    return () => this.#visits.delete(visit);
  }

  /** To be called whenever somebody's rights may have changed. */
  review(): void {
    for (const visit of this.#visits) {
      if (visit.mayStay()) continue;
      this.#visits.delete(visit);
      visit.end();
    }
  }
}

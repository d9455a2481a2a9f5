/** Who has how much on the shelf, and whose result goes next where room is needed. */

export interface Held {
  readonly principal: string;
  readonly bytes: number;
  readonly expiresAt: number;
}

export class ShelfUse {
  /** Of all that are held, and of those that are about to be. */
  bytes = 0;
  /** By id, the oldest first. */
  readonly #held = new Map<string, Held>();
  readonly #bytesOf = new Map<string, number>();

  get held(): ReadonlyMap<string, Held> {
    return this.#held;
  }

  /** Room for something that is being written; less than none gives it back. */
  reserve(principal: string, bytes: number): void {
    this.bytes += bytes;
    const all = (this.#bytesOf.get(principal) ?? 0) + bytes;
    if (all > 0) this.#bytesOf.set(principal, all);
    else this.#bytesOf.delete(principal);
  }

  put(id: string, held: Held): void {
    this.delete(id);
    this.#held.set(id, held);
    this.reserve(held.principal, held.bytes);
  }

  /** Its place among the others stays. */
  resize(id: string, bytes: number): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.reserve(held.principal, bytes - held.bytes);
    this.#held.set(id, { ...held, bytes });
  }

  delete(id: string): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.#held.delete(id);
    this.reserve(held.principal, -held.bytes);
  }

  /** The oldest of the principal who has the most: whoever fills the shelf pushes out what is his own, and not what others keep. */
  next(): string | undefined {
    const oldest = new Map<string, string>();
    for (const [id, { principal }] of this.#held) if (!oldest.has(principal)) oldest.set(principal, id);
    let most = -1;
    let next: string | undefined;
    for (const [principal, id] of oldest) {
      const bytes = this.#bytesOf.get(principal) ?? 0;
      if (bytes <= most) continue;
      most = bytes;
      next = id;
    }
    return next;
  }
}

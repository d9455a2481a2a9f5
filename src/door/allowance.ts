/** How many of something each principal may have at once: requests, streams, watched resources. */

export class Allowance {
  readonly #most: () => number;
  readonly #taken = new Map<string, number>();

  constructor(most: () => number) {
    this.#most = most;
  }

  get most(): number {
    return this.#most();
  }

  /** Whether a principal has more than it may, by what it was given to spare. */
  isOver(principal: string): boolean {
    return (this.#taken.get(principal) ?? 0) > this.#most();
  }

  /**
   * The function that gives it back, which may be called again; undefined when there is none left. `spare`: how many more
   * there are for this purpose.
   */
  take(principal: string, spare = 0): (() => void) | undefined {
    const taken = this.#taken.get(principal) ?? 0;
    if (taken >= this.#most() + spare) return undefined;
    this.#taken.set(principal, taken + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.#taken.get(principal) ?? 1) - 1;
      if (left > 0) this.#taken.set(principal, left);
      else this.#taken.delete(principal);
    };
  }
}

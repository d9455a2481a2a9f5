/** Runs that wait for a thread, first come, first served, except that no principal gets more than a share of all threads. */

export interface QueuedRun {
  /** The owner of the run; a run without one counts for itself alone. */
  readonly principal: string | undefined;
}

export class FairQueue<T extends QueuedRun> {
  readonly #share: number;
  readonly #waiting: T[] = [];

  /** `share`: threads that one principal gets at once. */
  constructor(share: number) {
    this.#share = share;
  }

  get length(): number {
    return this.#waiting.length;
  }

  countOf(principal: string | undefined): number {
    return principal === undefined ? 0 : this.#waiting.filter((one) => one.principal === principal).length;
  }

  push(one: T): void {
    this.#waiting.push(one);
  }

  /** Puts a run back to the front. */
  unshift(one: T): void {
    this.#waiting.unshift(one);
  }

  delete(one: T): void {
    const at = this.#waiting.indexOf(one);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** The first whose principal has not got its share already. */
  take(running: readonly QueuedRun[]): T | undefined {
    const [first] = this.#startable(running);
    if (first !== undefined) this.delete(first);
    return first;
  }

  /** How many could begin if there were threads enough. */
  startable(running: readonly QueuedRun[]): number {
    return this.#startable(running).length;
  }

  clear(): T[] {
    return this.#waiting.splice(0);
  }

  #startable(running: readonly QueuedRun[]): T[] {
    const counts = new Map<string, number>();
    const isWithin = ({ principal }: QueuedRun) => {
      if (principal === undefined) return true;
      const count = (counts.get(principal) ?? 0) + 1;
      counts.set(principal, count);
      return count <= this.#share;
    };
    for (const one of running) isWithin(one);
    return this.#waiting.filter(isWithin);
  }
}

/** Durations in a few fixed buckets, counted since the start: the form in which Prometheus reads latencies. */

/** Upper bounds: from a search in memory to a tool that works for a minute. */
export const durationBuckets: readonly number[] = [0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

export class Durations {
  /** By upper bound in seconds: those within it and above the bound before. */
  readonly #counts = new Map([...durationBuckets, Number.POSITIVE_INFINITY].map((bound) => [bound, 0]));
  #sumMs = 0;

  add(ms: number): void {
    const bound = durationBuckets.find((one) => ms <= one * 1_000) ?? Number.POSITIVE_INFINITY;
    this.#counts.set(bound, (this.#counts.get(bound) ?? 0) + 1);
    this.#sumMs += ms;
  }

  get sumSeconds(): number {
    return this.#sumMs / 1_000;
  }

  /** How many were within each bound; the last bound is infinite, so that its count is that of all. */
  upTo(): { readonly bound: number; readonly count: number }[] {
    let sum = 0;
    return [...this.#counts].map(([bound, count]) => {
      sum += count;
      return { bound, count: sum };
    });
  }
}

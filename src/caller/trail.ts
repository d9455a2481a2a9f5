/** The last steps of each agent session: the tool that worked, and suggestions after one that failed. */

import type { Clock } from '../base/clock.ts';

/** Sessions that are remembered, for how long, and how many suggestions of each. */
const trailLimits = { sessions: 2_000, ageMs: 30 * 60_000, suggestions: 50 };

interface Trace {
  readonly at: number;
  /** The tool that worked last. */
  readonly last: string | null;
  /** From a suggested tool to the one that failed. */
  readonly suggested: ReadonlyMap<string, string>;
}

export class Trail {
  readonly #clock: Clock;
  readonly #traces = new Map<string, Trace>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The tool that worked last in this session. */
  before(session: string): string | null {
    return this.#find(session)?.last ?? null;
  }

  worked(session: string, toolKey: string): void {
    this.#keep(session, { last: toolKey });
  }

  suggested(session: string, failed: string, toolKeys: readonly string[]): void {
    const all = new Map(this.#find(session)?.suggested);
    for (const key of toolKeys) {
      // Suggested again, it is the newest.
      all.delete(key);
      all.set(key, failed);
    }
    this.#keep(session, { suggested: new Map([...all].slice(-trailLimits.suggestions)) });
  }

  /** The failed tool as whose alternative this one was suggested; taken once. */
  takeSuggestion(session: string, toolKey: string): string | null {
    const trace = this.#find(session);
    const failed = trace?.suggested.get(toolKey);
    if (!trace || failed === undefined) return null;
    const suggested = new Map(trace.suggested);
    suggested.delete(toolKey);
    this.#keep(session, { suggested });
    return failed;
  }

  #find(session: string): Trace | undefined {
    const trace = this.#traces.get(session);
    return trace && trace.at >= this.#clock.elapsed() - trailLimits.ageMs ? trace : undefined;
  }

  #keep(session: string, news: Partial<Trace>): void {
    const trace: Trace = {
      last: null,
      suggested: new Map(),
      ...this.#find(session),
      ...news,
      at: this.#clock.elapsed(),
    };
    this.#traces.delete(session);
    this.#traces.set(session, trace);
    const [oldest] = this.#traces.keys();
    if (oldest !== undefined && this.#traces.size > trailLimits.sessions) this.#traces.delete(oldest);
  }
}

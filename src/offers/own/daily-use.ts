/** How much tools and servers are used, as it was when they were first looked at on this day: what is ordered by it does not flap. */

import type { Clock } from '../../base/clock.ts';
import type { Entry } from '../../catalog/catalog.ts';
import type { CallMetrics } from '../../metrics/metrics.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** The priority of something never used; each power of ten of calls adds a tenth. */
export const usualPriority = 0.5;
const mostPriority = 0.9;

type Counts = Pick<CallMetrics, 'callCountOf'>;

export class DailyUse {
  readonly #metrics: Counts;
  readonly #clock: Pick<Clock, 'now'>;
  #day = -1;
  readonly #counts = new Map<string, number>();

  constructor(metrics: Counts, clock: Pick<Clock, 'now'>) {
    this.#metrics = metrics;
    this.#clock = clock;
  }

  ofTool(tool: Entry): number {
    return this.#once(keyOf(tool), () => callsOfTool(this.#metrics, tool));
  }

  /** Those of a server that somebody can see: what others call there is not to be read off. */
  ofTools(tools: readonly Entry[]): number {
    const each = new Map(tools.map((tool) => [keyOf(tool), tool]));
    return [...each.values()].reduce((sum, tool) => sum + this.ofTool(tool), 0);
  }

  #once(name: string, count: () => number): number {
    const day = Math.floor(this.#clock.now() / dayMs);
    if (day !== this.#day) this.#counts.clear();
    this.#day = day;
    const calls = this.#counts.get(name) ?? count();
    this.#counts.set(name, calls);
    return calls;
  }
}

/** The same for all doors of a gateway. */
export function dailyUse({ metrics, clock }: { readonly metrics: CallMetrics; readonly clock: Clock }): DailyUse {
  const use = uses.get(metrics) ?? new DailyUse(metrics, clock);
  uses.set(metrics, use);
  return use;
}

const uses = new WeakMap<CallMetrics, DailyUse>();

/** Undefined for what was never used: nothing is known of how important it is. */
export function priorityFor(calls: number): number | undefined {
  if (calls === 0) return undefined;
  const steps = Math.ceil(Math.log10(1 + calls));
  return Math.min(mostPriority, Math.round(usualPriority * 10 + steps) / 10);
}

/** Those of this moment. An alias counts as the tool that it stands for. */
export function callsOfTool(metrics: Counts, tool: Entry): number {
  return metrics.callCountOf(keyOf(tool));
}

export function callsOfTools(metrics: Counts, tools: readonly Entry[]): number {
  let calls = 0;
  for (const key of new Set(tools.map(keyOf))) calls += metrics.callCountOf(key);
  return calls;
}

function keyOf({ server, serverName }: Entry): string {
  return `${server}:${serverName}`;
}

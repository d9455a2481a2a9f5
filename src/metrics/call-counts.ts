/**
 * Counts of calls that are at hand at any time: since the start, by server, tool and outcome, for Prometheus, with few enough
 * labels, whatever servers call their tools; and of the last hour by minutes.
 */

import { visibleLine } from '../base/visible.ts';
import { type CallRecord, type CallSpan, type OutcomeKind, reachedTool, Tally } from '../store/store.ts';
import type { MinuteMetrics } from './call-record.ts';
import { spanUpTo, startOf } from './call-series.ts';

/** Every label is a series for ever. Beyond these, calls are counted under `otherLabel`; names are cut. */
export const labelLimits = { servers: 500, tools: 2_000, toolsOfServer: 200, characters: 100 };
export const otherLabel = 'other';

export interface ServerCounts {
  /** The label of the server. */
  readonly server: string;
  /** By the label of the tool. */
  readonly tools: ReadonlyMap<string, Readonly<Record<OutcomeKind, number>>>;
  /** Of calls that reached the tool. */
  readonly durations: Durations;
}

type Outcomes = Record<OutcomeKind, number>;

export class CallCounts {
  readonly #servers = new Map<string, ServerCounts & { readonly tools: Map<string, Outcomes> }>();
  #toolLabels = 0;

  add(call: CallRecord): void {
    const { tools, durations } = this.#serverOf(call.server);
    this.#outcomesOf(tools, call.tool)[call.outcome] += 1;
    if (reachedTool(call)) durations.add(call.ms);
  }

  all(): Iterable<ServerCounts> {
    return this.#servers.values();
  }

  /** The label under which a server is counted, from now on the same one. */
  labelOf(server: string): string {
    return this.#serverOf(server).server;
  }

  #serverOf(name: string) {
    const label = this.#servers.has(name) || this.#servers.size < labelLimits.servers ? name : otherLabel;
    let counts = this.#servers.get(label);
    if (counts === undefined) {
      counts = { server: label, tools: new Map(), durations: new Durations() };
      this.#servers.set(label, counts);
    }
    return counts;
  }

  #outcomesOf(tools: Map<string, Outcomes>, name: string): Outcomes {
    // A warm call has a plain name that was counted before, and needs no look at its characters.
    const counted = tools.get(name);
    if (counted) return counted;
    const own = labelOf(name);
    const isNew = !tools.has(own);
    const hasRoom = tools.size < labelLimits.toolsOfServer && this.#toolLabels < labelLimits.tools;
    const label = isNew && !hasRoom ? otherLabel : own;
    const known = tools.get(label);
    if (known) return known;
    if (hasRoom) this.#toolLabels += 1;
    const { outcomes } = new Tally();
    tools.set(label, outcomes);
    return outcomes;
  }
}

/** A name of a stranger: without unseen characters, and cut both before and after they are written as escapes. */
function labelOf(name: string): string {
  const { characters } = labelLimits;
  return visibleLine(name.slice(0, characters)).slice(0, characters).toWellFormed();
}

/** Upper bounds: from a search in memory to a tool that works for a minute. */
export const durationBuckets: readonly number[] = [0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Durations in a few fixed buckets: the form in which Prometheus reads latencies. */
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

const minuteMs = 60_000;
const minutesKept = 60;

interface Minute {
  /** Minutes since 1970. */
  readonly minute: number;
  readonly outcomes: Record<OutcomeKind, number>;
}

/** How the calls of each of the last minutes ended. */
export class LastHour {
  readonly #ring: (Minute | undefined)[] = [];

  /** Takes the place of everything before. `tallies`: one for each step of `span`, an hour by minutes. */
  load({ since }: CallSpan, tallies: readonly Tally[]): void {
    this.#ring.length = 0;
    for (const [at, { outcomes }] of tallies.entries()) this.#put(Math.floor(since / minuteMs) + at, { ...outcomes });
  }

  add({ at, outcome }: CallRecord): void {
    const minute = Math.floor(at / minuteMs);
    const known = this.#ring[minute % minutesKept];
    if (known?.minute === minute) known.outcomes[outcome] += 1;
    // A call that ended an hour before the newest is outside the hour.
    else if (known === undefined || known.minute < minute) this.#put(minute, { ...new Tally().outcomes, [outcome]: 1 });
  }

  /** Every minute of the hour up to now, the oldest first. */
  list(now: number): MinuteMetrics[] {
    const span = spanUpTo(now, 'hour');
    return Array.from({ length: span.count }, (_, at) => {
      const minute = span.since / minuteMs + at;
      const known = this.#ring[minute % span.count];
      const outcomes = { ...(known?.minute === minute ? known.outcomes : new Tally().outcomes) };
      const callCount = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
      return { start: startOf(span, at), callCount, outcomes };
    });
  }

  #put(minute: number, outcomes: Record<OutcomeKind, number>): void {
    this.#ring[minute % minutesKept] = { minute, outcomes };
  }
}

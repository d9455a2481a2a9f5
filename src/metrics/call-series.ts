/** Calls over time: the steps of the last hour, day or month, and the counts of the last hour, which are at hand at any time. */

import { type CallRecord, type CallSpan, type DayTally, dayOf, type OutcomeKind, Tally } from '../store/store.ts';
import type { MinuteMetrics } from './call-record.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** By minutes, hours and days. */
export const seriesSpans = ['hour', 'day', 'month'] as const;
export type SeriesSpan = (typeof seriesSpans)[number];

const steps: Readonly<Record<SeriesSpan, Omit<CallSpan, 'since'>>> = {
  hour: { stepMs: minuteMs, count: 60 },
  day: { stepMs: hourMs, count: 24 },
  month: { stepMs: dayMs, count: 30 },
};

/** Whole steps in UTC, of which the last one is still going on. */
export function spanUpTo(now: number, span: SeriesSpan): CallSpan {
  const { stepMs, count } = steps[span];
  return { since: (Math.floor(now / stepMs) - count + 1) * stepMs, stepMs, count };
}

/** The beginning of a step, as ISO 8601. */
export function startOf({ since, stepMs }: CallSpan, at: number): string {
  return new Date(since + at * stepMs).toISOString();
}

/** A sum for each day of a span, also for those without calls. */
export function everyDay({ since, count }: CallSpan, days: readonly DayTally[]): Tally[] {
  const known = new Map(days.map(({ day, tally }) => [day, tally]));
  return Array.from({ length: count }, (_, at) => known.get(dayOf(since) + at) ?? new Tally());
}

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
    const known = this.#ring[minute % steps.hour.count];
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
    this.#ring[minute % steps.hour.count] = { minute, outcomes };
  }
}

/** Calls over time: the steps of the last hour, day or month. */

import { type CallSpan, type DayTally, dayOf, Tally } from '../store/store.ts';

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

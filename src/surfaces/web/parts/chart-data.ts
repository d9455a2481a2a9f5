/** Figures over time, as a chart draws them and as a sentence tells them. */

import type { LiveMinute } from '../../live/live.ts';

export interface ChartLine {
  readonly name: string;
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
  /** A colour of the style sheet, such as `--data-1`. */
  readonly colour: string;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Minutes of the chart of the last hour. */
const hourMinutes = 60;

/** The sums of the lines from the first on, the largest first: drawn over each other they look like a stack. */
export function stackLines(lines: readonly ChartLine[]): ChartLine[] {
  const stacked: ChartLine[] = [];
  for (const line of lines) {
    const below = stacked.at(-1)?.values;
    stacked.push({ ...line, values: line.values.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)) });
  }
  return stacked.reverse();
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
/** Days are counted in UTC. */
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The beginning of a step, as short as it can be told from the others. */
export function stepText(at: number, stepMs: number): string {
  return (stepMs >= dayMs ? date : clock).format(at);
}

/** A chart in words, for those who do not see it: of each line its greatest value and its last one. */
export function describeChart(
  times: readonly number[],
  stepMs: number,
  lines: readonly ChartLine[],
  format: (value: number) => string,
): string {
  const sentences = lines.map(({ name, values }) => {
    const known = values.flatMap((value, at) => (value === null ? [] : [{ value, at: times[at] ?? 0 }]));
    const [first] = known;
    const last = known.at(-1);
    if (!first || !last) return `${name}: no data.`;
    const most = known.reduce((one, other) => (other.value > one.value ? other : one), first);
    if (most.value === 0) return `${name}: none.`;
    const lastText = `${format(last.value)} at ${stepText(last.at, stepMs)}`;
    return `${name}: at most ${format(most.value)} (${stepText(most.at, stepMs)}), last ${lastText}.`;
  });
  return sentences.join(' ');
}

/** Every minute of the hour up to now, also those without calls. */
export function wholeHour(
  minutes: readonly LiveMinute[],
  now: number,
): { readonly at: number; readonly minute?: LiveMinute }[] {
  const known = new Map(minutes.map((minute) => [Date.parse(minute.start), minute]));
  const last = Math.floor(now / minuteMs) * minuteMs;
  return Array.from({ length: hourMinutes }, (_, index) => {
    const at = last - (hourMinutes - 1 - index) * minuteMs;
    const minute = known.get(at);
    return minute ? { at, minute } : { at };
  });
}

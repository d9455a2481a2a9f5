/** Reads a length of time such as 30d or 12h from a flag. */

import { GatewayError } from '../../base/errors.ts';

const minuteMs = 60_000;
const units: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  w: 7 * 24 * 60 * minuteMs,
  y: 365 * 24 * 60 * minuteMs,
};
const mostYears = 10;

/** In milliseconds. Throws USAGE for what is no length of time, or too long a one. */
export function readDuration(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count = '', unit = ''] = /^(\d{1,6})([mhdwy])$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (units[unit] ?? 0);
  if (count !== '' && ms > 0 && ms <= mostYears * (units.y ?? 0)) return ms;
  throw new GatewayError('USAGE', `--${flag} must be a length of time such as 30d, not "${text}".`, {
    hint: `A number and one of m, h, d, w, y (minutes, hours, days, weeks, years), at most ${mostYears} years.`,
  });
}

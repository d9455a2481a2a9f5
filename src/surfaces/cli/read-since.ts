/** Reads a time from a flag: how long ago, or a date. */

import { GatewayError } from '../../base/errors.ts';

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** As ISO 8601. Throws USAGE for what is neither. A date without a time begins at midnight, here. */
export function readSince(value: string | undefined, now: number): string | undefined {
  if (value === undefined) return undefined;
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(value) ?? [];
  const time = count === undefined ? parseDate(value) : now - Number(count) * (unitMs[unit ?? ''] ?? 0);
  if (time >= 0 && time <= 8.64e15) return new Date(time).toISOString();
  throw new GatewayError('USAGE', `--since must be a time, not "${value}".`, {
    hint: 'Write how long ago, such as 30m, 2h or 7d, or a date such as 2026-01-31 or 2026-01-31T09:30.',
  });
}

function parseDate(value: string): number {
  if (!/^\d{4}-\d\d-\d\d/.test(value)) return Number.NaN;
  // Dates alone would be read as UTC.
  return Date.parse(value.length === 10 ? `${value}T00:00` : value);
}

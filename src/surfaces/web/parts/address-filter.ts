/** Filters of records: read from the address, and asked of the audit. */

import type { InputOf } from '../../../admin/admin.ts';

/** Spans up to now that can be chosen. */
export const timeSpans: readonly (readonly [span: string, text: string])[] = [
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
];

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The members with these names that the address has. */
export function filterIn<N extends string>(
  query: URLSearchParams,
  names: readonly N[],
): Readonly<Partial<Record<N, string>>> {
  const given = names.map((name) => [name, query.get(name) ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value.trim() !== '')) as Partial<Record<N, string>>; // its names
}

/** `15m`, `2h` and `7d` ago, or a time; undefined for anything else. */
export function timeIn(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : now - Number(count) * (unitMs[unit ?? ''] ?? 0);
  return Number.isNaN(time) ? undefined : time;
}

/** As a question to the audit, which refuses words that it does not know; the page shows that. */
export function auditQuestion(
  { since, until, ...names }: Readonly<Partial<Record<string, string>>>,
  now: number,
): InputOf<'audit.list'> {
  const iso = (text: string | undefined) => {
    const time = timeIn(text, now);
    return time === undefined ? undefined : new Date(time).toISOString();
  };
  return { ...(names as InputOf<'audit.list'>), since: iso(since), until: iso(until) };
}

/** Which calls are shown: read from the address, asked of the audit, and applied to what comes live. */

import type { AuditLine, InputOf } from '../../../../admin/admin.ts';

/** The members that the address holds, all of them texts. */
export const filterNames = ['server', 'tool', 'principal', 'outcome', 'errorType', 'since', 'until'] as const;
export type CallFilter = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export function filterIn(query: URLSearchParams): CallFilter {
  const given = filterNames.map((name) => [name, query.get(name) ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** `15m`, `2h` and `7d` ago, or a time; undefined for anything else. */
export function timeIn(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : now - Number(count) * (unitMs[unit ?? ''] ?? 0);
  return Number.isNaN(time) ? undefined : time;
}

/** The same as a question to the audit. */
export function queryOf(filter: CallFilter, now: number): InputOf<'audit.list'> {
  const { since, until, outcome, ...names } = filter;
  const iso = (text: string | undefined) => {
    const time = timeIn(text, now);
    return time === undefined ? undefined : new Date(time).toISOString();
  };
  return {
    kind: 'execution',
    ...names,
    // The gateway refuses words that it does not know, and the page shows that.
    outcome: outcome as InputOf<'audit.list'>['outcome'],
    since: iso(since),
    until: iso(until),
  };
}

/** As the audit would decide. */
export function isShown(record: AuditLine, filter: CallFilter, now: number): boolean {
  const { server, tool, principal, outcome, errorType } = filter;
  const at = Date.parse(record.time);
  return (
    record.kind === 'execution' &&
    (server ?? record.server) === record.server &&
    (tool ?? record.tool) === record.tool &&
    (outcome === 'not-ok' ? record.outcome !== 'ok' : (outcome ?? record.outcome) === record.outcome) &&
    (errorType ?? record.errorType) === record.errorType &&
    (principal === undefined || principal === record.principal.id || principal === record.principal.name) &&
    at >= (timeIn(filter.since, now) ?? at) &&
    at < (timeIn(filter.until, now) ?? Number.POSITIVE_INFINITY)
  );
}

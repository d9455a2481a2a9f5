/** Which records are shown: read from the address and asked of the audit. */

import type { InputOf } from '../../../../admin/admin.ts';
import { timeIn } from '../calls/call-filter.ts';

/** The members that the address holds, all of them texts. */
export const auditFilterNames = [
  'kind',
  'principal',
  'project',
  'server',
  'tool',
  'outcome',
  'action',
  'request',
  'since',
  'until',
] as const;
export type AuditFilterName = (typeof auditFilterNames)[number];
export type RecordFilter = Readonly<Partial<Record<AuditFilterName, string>>>;

export function auditFilterIn(query: URLSearchParams): RecordFilter {
  const given = auditFilterNames.map((name) => [name, query.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** As a question to the audit, which refuses words that it does not know. */
export function auditQuestion({ since, until, ...names }: RecordFilter, now: number): InputOf<'audit.list'> {
  const iso = (text: string | undefined) => {
    const time = timeIn(text, now);
    return time === undefined ? undefined : new Date(time).toISOString();
  };
  return { ...(names as InputOf<'audit.list'>), since: iso(since), until: iso(until) };
}

/** Which calls are shown: asked of the audit, and applied to what comes live. */

import type { AuditLine, InputOf } from '../../../../admin/admin.ts';
import { auditQuestion, timeIn } from '../../parts/address-filter.ts';

/** The members that the address holds, all of them texts. */
export const filterNames = ['server', 'tool', 'principal', 'outcome', 'errorType', 'since', 'until'] as const;
export type CallFilter = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

/** As a question to the audit. */
export function queryOf(filter: CallFilter, now: number): InputOf<'audit.list'> {
  return { ...auditQuestion(filter, now), kind: 'execution' };
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

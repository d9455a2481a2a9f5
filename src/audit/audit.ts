/** The front of the audit: who did what, when, and how it ended. */

export { type AuditEvent, auditOutcomes } from './audit-event.ts';
export { AuditLog } from './audit-log.ts';
export { type GivenOrder, shownMistake, shownOrder, typedName } from './shown-input.ts';

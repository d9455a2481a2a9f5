/** The front of the audit: who did what, when, and how it ended. */

export { AuditBook } from './audit-book.ts';
export { type AuditEvent, auditOutcomes } from './audit-event.ts';
export { shownInput } from './shown-input.ts';

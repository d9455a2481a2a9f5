/** Reads the audit page by page, so that no more than a page is held at once. */

import type { Admin, AuditLine, InputOf } from '../../admin/admin.ts';

/** The filter of the records. */
export type AuditListing = Omit<InputOf<'audit.list'>, 'before' | 'limit'>;

const recordsPerPage = 500;

/** The newest `limit` records, newest first. */
export async function newestAudit(
  admin: Admin,
  filter: AuditListing,
  limit: number,
  before?: number,
): Promise<AuditLine[]> {
  const found: AuditLine[] = [];
  for (let from = before; ; ) {
    const size = Math.min(recordsPerPage, limit - found.length);
    const { records, next } = await admin.run('audit.list', { ...filter, before: from, limit: size });
    found.push(...records);
    if (next === null || found.length >= limit) return found;
    from = next;
  }
}

/** Every one, in the order in which they were written. */
export async function* auditLines(admin: Admin, filter: AuditListing): AsyncGenerator<AuditLine, void, undefined> {
  for (let after: number | null = 0; after !== null; ) {
    const page: { readonly records: readonly AuditLine[]; readonly next: number | null } = await admin.run(
      'audit.export',
      { ...filter, after, limit: recordsPerPage },
    );
    yield* page.records;
    after = page.next;
  }
}

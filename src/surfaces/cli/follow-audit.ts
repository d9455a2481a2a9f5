/** Follows the audit: prints each record once, in order, across restarts of the gateway. */

import type { AuditLine } from '../../admin/admin.ts';
import { type AuditListing, newestAudit } from './audit-pages.ts';
import type { CommandContext } from './context.ts';
import { followGateway } from './follow-gateway.ts';
import { withAdmin } from './with-admin.ts';

const recordsPerLook = 500;

/**
 * Resolves when the process is asked to end. First the last few records from before are shown. An event only says that there is
 * something new: the audit itself filters it, and keeps the order. What one look has shown, later events bring no more.
 */
export async function followAudit(
  context: CommandContext,
  filter: AuditListing,
  before: number,
  show: (record: AuditLine) => void,
): Promise<void> {
  let after = await withAdmin(context, async ({ admin }) => {
    // First where the end is: what is written from here on is not among those that are shown as the past.
    const end = (await admin.run('audit.export', { limit: 1 })).upto;
    for (const record of (await newestAudit(admin, filter, before, end + 1)).toReversed()) show(record);
    return end;
  });
  await followGateway(context, async (admin, signal) => {
    for await (const event of admin.events(signal)) {
      if (event.kind !== 'begin' && !(event.kind === 'record' && event.data.id > after)) continue;
      for (let isMore = true; isMore; ) {
        const page = await admin.run('audit.export', { ...filter, after, limit: recordsPerLook }, signal);
        for (const record of page.records) show(record);
        after = page.upto;
        isMore = page.next !== null;
      }
    }
  });
}

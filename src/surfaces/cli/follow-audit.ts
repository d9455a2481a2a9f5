/** Follows the audit: prints each record once, in order, across restarts of the gateway. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, AuditLine } from '../../admin/admin.ts';
import { type ErrorCode, GatewayError } from '../../base/errors.ts';
import { type AuditListing, newestAudit } from './audit-pages.ts';
import type { CommandContext } from './context.ts';
import { writeText } from './print.ts';
import { runningAdmin } from './running-admin.ts';
import { withAdmin } from './with-admin.ts';

/** The wait before a gateway that is not there is looked for again. */
const lookEveryMs = 300;
const recordsPerLook = 500;

/** Trouble of a gateway that is going, coming or busy: it is asked again. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['UNREACHABLE', 'STORE_BUSY', 'STORE_BROKEN', 'CANCELLED']);

/** Resolves when the process is asked to end. First the last few records from before are shown. */
export async function followAudit(
  context: CommandContext,
  filter: AuditListing,
  before: number,
  show: (record: AuditLine) => void,
): Promise<void> {
  const { signal } = context.host;
  try {
    let upto = await withAdmin(context, async ({ admin }) => {
      // First where the end is: what is written from here on is not among those that are shown as the past.
      const end = (await admin.run('audit.export', { limit: 1 })).upto;
      for (const record of (await newestAudit(admin, filter, before, end + 1)).toReversed()) show(record);
      return end;
    });
    for (let isWaiting = false; ; await pause(lookEveryMs, undefined, { signal })) {
      const admin = await runningAdmin(context);
      if (admin === undefined) {
        if (!isWaiting) writeText(context.host.stderr, 'note: no gateway is running; waiting for one.');
        isWaiting = true;
        continue;
      }
      isWaiting = false;
      upto = await followOne(admin, { ...filter, after: upto }, show, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Until this gateway is gone or busy; says up to which id everything has been shown. An event only says that there is something
 * new: the audit itself filters it, and keeps the order. What one look has shown, later events bring no more.
 */
async function followOne(
  admin: Admin,
  filter: AuditListing & { readonly after: number },
  show: (record: AuditLine) => void,
  signal: AbortSignal,
): Promise<number> {
  let { after } = filter;
  try {
    for await (const event of admin.events(signal)) {
      if (event.kind !== 'begin' && !(event.kind === 'record' && event.data.id > after)) continue;
      for (let isMore = true; isMore; ) {
        const page = await admin.run('audit.export', { ...filter, after, limit: recordsPerLook }, signal);
        for (const record of page.records) show(record);
        after = page.upto;
        isMore = page.next !== null;
      }
    }
  } catch (error) {
    if (!(error instanceof GatewayError) || !passing.has(error.code)) throw error;
  }
  return after;
}

/** For commands that follow: reads the running gateway, and the next one after it, until the process is asked to end. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Admin } from '../../admin/admin.ts';
import { type ErrorCode, GatewayError } from '../../base/errors.ts';
import type { CommandContext } from './context.ts';
import { writeText } from './print.ts';
import { runningAdmin } from './running-admin.ts';

/** The wait before a gateway that is not there is looked for again. */
const lookEveryMs = 300;

/** Trouble of a gateway that is going, coming or busy: it is asked again. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['UNREACHABLE', 'STORE_BUSY', 'STORE_BROKEN', 'CANCELLED']);

/** `read` reads one gateway until it throws, because that is gone or the signal aborts. */
export async function followGateway(
  context: CommandContext,
  read: (admin: Admin, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { signal } = context.host;
  try {
    for (let isWaiting = false; ; await pause(lookEveryMs, undefined, { signal })) {
      const admin = await runningAdmin(context);
      if (admin === undefined && !isWaiting) writeText(context.notes, 'note: no gateway is running; waiting for one.');
      isWaiting = admin === undefined;
      if (admin) await read(admin, signal).catch(rethrowLasting);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function rethrowLasting(error: unknown): void {
  if (!(error instanceof GatewayError) || !passing.has(error.code)) throw error;
}

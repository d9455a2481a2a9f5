/** Follows the calls that wait for approval: prints each once, as it comes. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, WaitingCall } from '../../admin/admin.ts';
import { GatewayError } from '../../base/errors.ts';
import type { CommandContext } from './context.ts';
import { writeText } from './print.ts';
import { runningAdmin } from './running-admin.ts';

/** What comes is seen this much later at most. */
const lookEveryMs = 500;

/** Resolves when the process is told to end. */
export async function followApprovals(context: CommandContext, show: (call: WaitingCall) => void): Promise<void> {
  const { signal, stderr } = context.host;
  let shown: ReadonlySet<string> = new Set();
  try {
    for (let isWaiting = false; ; await pause(lookEveryMs, undefined, { signal })) {
      const admin = await runningAdmin(context);
      const calls = admin && (await look(admin, signal));
      if (calls === undefined) {
        if (!isWaiting) writeText(stderr, 'note: no gateway is running; waiting for one.');
        isWaiting = true;
        continue;
      }
      isWaiting = false;
      for (const call of calls) if (!shown.has(call.id)) show(call);
      shown = new Set(calls.map(({ id }) => id));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** undefined while the gateway is going or coming. */
async function look(admin: Admin, signal: AbortSignal): Promise<readonly WaitingCall[] | undefined> {
  try {
    return await admin.run('approvals.list', {}, signal);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'UNREACHABLE') return undefined;
    throw error;
  }
}

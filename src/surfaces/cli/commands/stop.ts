/** `toolcrib stop`: ends the running gateway and waits until it has gone. */

import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '../../../base/errors.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { type ReachableHolder, settledHolder } from '../lock-state.ts';
import { tellProgress } from '../progress.ts';
import { readToken } from '../read-token.ts';

/** Beyond the time for running calls: servers have to end as well. */
const closingMs = 15_000;
const lookAgainMs = 50;

export const stop = defineCommand({
  name: 'stop',
  summary: 'Stop the running gateway',
  isOrder: true,
  description:
    'Lets running calls finish, ends every server, and returns when the gateway has gone. An agent that launches "toolcrib stdio" starts a new one when it needs it. Exits with code 5 if no gateway is running for the data folder.',
  examples: [{ line: 'stop', meaning: 'Ends the gateway, however it was started.' }],
  async run({ context }) {
    const { dataDir, host } = context;
    const holder = await settledHolder(dataDir, host.signal);
    if (holder === null) throw new GatewayError('UNREACHABLE', `No gateway is running for the data folder ${dataDir}.`);
    const refusal = await order(context, holder);
    const isGone = await tellProgress(context.notes, 'Waiting for running calls and servers to end', () =>
      untilGone(dataDir, holder, host.signal),
    );
    if (!isGone) throw refusal ?? stillThere(holder);
    const { pid, url, version } = holder;
    return {
      data: { pid, url, version, dataDir },
      text: `Stopped Toolcrib ${version} (process ${pid}) at ${url}.`,
    };
  },
});

/** Gives the order. A gateway that no longer answers may be closing already: the reason is returned, for later. */
async function order({ dataDir, host }: CommandContext, holder: ReachableHolder): Promise<GatewayError | undefined> {
  const { connectAdmin } = await import('../../../admin/client/client.ts');
  const admin = connectAdmin(holder.url, await readToken('owner', dataDir, host.env));
  try {
    await admin.run('gateway.stop', {}, host.signal);
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'UNREACHABLE') return error;
    throw error;
  }
}

/** False when it is still there after the longest time that an orderly end takes. */
async function untilGone(dataDir: string, { pid, startedAt }: ReachableHolder, signal: AbortSignal): Promise<boolean> {
  const [{ readLock }, { limits }] = await Promise.all([
    import('../../../store/lock/lock.ts'),
    import('../../../config/config.ts'),
  ]);
  const until = performance.now() + limits.drainGraceMs + closingMs;
  while (performance.now() < until) {
    const holder = await readLock(dataDir);
    if (holder?.pid !== pid || holder.startedAt !== startedAt) return true;
    await pause(lookAgainMs, undefined, { signal });
  }
  return false;
}

function stillThere({ pid, url }: ReachableHolder): GatewayError {
  return new GatewayError(
    'UNREACHABLE',
    `The gateway at ${url} (process ${pid}) was asked to stop but is still running.`,
    {
      hint: 'Look at "toolcrib logs", or end the process by force.',
    },
  );
}

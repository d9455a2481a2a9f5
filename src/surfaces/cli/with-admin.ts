/** The way to the gateway: the one that runs, or, where none does, one in this process without a port. */

import type { Admin, OutputOf } from '../../admin/admin.ts';
import { abortable } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { printable } from '../../base/text.ts';
import type { CommandContext } from './context.ts';
import { isTakenSince, type ReachableHolder, readyHolder } from './lock-state.ts';
import { writeText } from './print.ts';
import { readToken } from './read-token.ts';
import { configLocation, offerTrust } from './trusted-config.ts';

export interface AdminAccess {
  readonly admin: Admin;
  /** With every right, for what has to be done before anybody can ask anything; only where this process does the work. */
  readonly preparer: Admin | null;
  /** The gateway that runs; null when this process does the work. */
  readonly holder: ReachableHolder | null;
}

/** Runs `work` with the gateway's operations and closes what was opened for it. */
export async function withAdmin<T>(context: CommandContext, work: (access: AdminAccess) => Promise<T>): Promise<T> {
  const { dataDir } = context;
  const startedMs = performance.now();
  for (;;) {
    const holder = await readyHolder(dataDir, context.host.signal);
    if (holder !== null) return useRunning(context, dataDir, holder, work);
    try {
      return await useOwn(context, dataDir, work);
    } catch (error) {
      if (!isTakenSince(startedMs, error)) throw error;
    }
  }
}

async function useRunning<T>(
  context: CommandContext,
  dataDir: string,
  holder: ReachableHolder,
  work: (access: AdminAccess) => Promise<T>,
): Promise<T> {
  const { connectAdmin } = await import('../../admin/client/client.ts');
  const { env, signal } = context.host;
  const admin = connectAdmin(holder.url, await readToken('owner', dataDir, env));
  if (context.configPath !== undefined) await tellOtherConfig(context, admin);
  await noteUnsaved(context, stoppedBy(admin, signal));
  return abortable(work({ admin: stoppedBy(admin, signal), preparer: null, holder }), signal);
}

async function useOwn<T>(
  context: CommandContext,
  dataDir: string,
  work: (access: AdminAccess) => Promise<T>,
): Promise<T> {
  await offerTrust(context);
  const { openGateway } = await import('../../gateway.ts');
  const { cwd, env, signal } = context.host;
  const gateway = await openGateway({
    dataDir,
    configPath: context.configPath,
    cwd,
    env,
    log: silentLog,
  });
  try {
    const admin = stoppedBy(gateway.adminFor(env.TOOLCRIB_TOKEN), signal);
    const preparer = stoppedBy(gateway.admin, signal);
    await noteUnsaved(context, preparer);
    return await abortable(work({ admin, preparer, holder: null }), signal);
  } finally {
    await gateway.close();
  }
}

function stoppedBy(admin: Admin, signal: AbortSignal): Admin {
  return {
    run: (name, input, _signal, onProgress) => admin.run(name, input, signal, onProgress),
    events: (wanted, after) => admin.events(AbortSignal.any([wanted, signal]), after),
  };
}

/** Every command reports a disk or a database that cannot be written: nobody else looks at it. */
async function noteUnsaved({ notes }: CommandContext, admin: Admin): Promise<void> {
  const { diskProblem, recordsProblem } = (await tryStatus(admin)) ?? {};
  for (const problem of [diskProblem, recordsProblem])
    if (problem) writeText(notes, `note: ${printable(`${problem.message} ${problem.hint}`)}`);
}

/** Undefined for those who may not know what the gateway is; they can still do what they may. */
async function tryStatus(admin: Admin): Promise<OutputOf<'gateway.status'> | undefined> {
  return admin.run('gateway.status', {}).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === 'ACCESS_DENIED') return undefined;
    throw error;
  });
}

/** A gateway that runs has read its config already. */
async function tellOtherConfig(context: CommandContext, admin: Admin): Promise<void> {
  const { candidateFiles } = await import('../../config/config.ts');
  const [wanted] = candidateFiles(configLocation(context));
  const status = await tryStatus(admin);
  if (status === undefined || status.configFile === wanted) return;
  const { configFile } = status;
  const used = configFile === null ? 'no config file' : configFile;
  writeText(context.notes, `note: the running gateway uses ${used}; --config has no effect on it.`);
}

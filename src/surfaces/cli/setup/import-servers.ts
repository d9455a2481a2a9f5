/** Adds servers of other agents, and keeps their secrets in the vault. */

import type { Admin, OutputOf } from '../../../admin/admin.ts';
import { GatewayError, messageOf } from '../../../base/errors.ts';
import { plural } from '../../../base/plural.ts';
import { limits } from '../../../config/config.ts';
import type { CommandContext } from '../context.ts';
import { tellProgress } from '../progress.ts';
import type { Importable } from './plan-import.ts';

export interface ImportedServer {
  readonly name: string;
  readonly state: OutputOf<'servers.add'>['state'] | null;
  readonly toolCount: number;
  /** Why it does not work yet, or was not added. */
  readonly error: string | null;
}

/** In the order given. One that can't be added does not keep the others from it. */
export async function importServers(
  admin: Admin,
  chosen: readonly Importable[],
  { notes }: CommandContext,
): Promise<ImportedServer[]> {
  const results = new Map<string, ImportedServer>();
  // One row of servers for all who add them.
  const waiting = chosen.values();
  const label = `Adding ${plural(chosen.length, 'server')} and waiting for their tools`;
  await tellProgress(notes, label, (report) => {
    const addNext = async () => {
      for (const server of waiting) {
        results.set(server.name, await importServer(admin, server));
        report({ text: `${label}: ${results.size} done`, done: results.size / chosen.length });
      }
    };
    return Promise.all(Array.from({ length: limits.firstListConcurrency }, addNext));
  });
  return chosen.flatMap(({ name }) => results.get(name) ?? []);
}

async function importServer(admin: Admin, { name, spec, values, isOwn }: Importable): Promise<ImportedServer> {
  try {
    for (const secret of values) await admin.run('secrets.set', secret);
    const { state, toolCount, lastError } = await admin.run('servers.add', { name, spec, allowEnv: isOwn });
    return { name, state, toolCount, error: lastError };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code === 'CANCELLED') throw error;
    // Nobody else uses its secrets; those of a server that was added after all are kept.
    for (const secret of values) await admin.run('secrets.remove', { name: secret.name }).catch(() => {});
    return { name, state: null, toolCount: 0, error: messageOf(error) };
  }
}

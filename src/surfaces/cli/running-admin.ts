/** The way to the gateway that runs, for commands that wait for one instead of doing the work themselves. */

import type { Admin } from '../../admin/admin.ts';
import type { CommandContext } from './context.ts';
import { isReachable } from './lock-state.ts';
import { readToken } from './read-token.ts';

/** Never one of its own: that would keep the folder from the gateway that is waited for. */
export async function runningAdmin({ dataDir, host }: CommandContext): Promise<Admin | undefined> {
  const [{ readLock }, { connectAdmin }] = await Promise.all([
    import('../../store/lock/lock.ts'),
    import('../../admin/client/client.ts'),
  ]);
  const holder = await readLock(dataDir);
  if (holder === null || !isReachable(holder)) return undefined;
  return connectAdmin(holder.url, await readToken('owner', dataDir, host.env));
}

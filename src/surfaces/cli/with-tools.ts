/** The gateway with its tools known: where no gateway runs, servers that were never listed are asked first. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Admin } from '../../admin/admin.ts';
import { printable } from '../../base/text.ts';
import type { CommandContext } from './context.ts';
import { writeText } from './print.ts';
import { showProgress } from './progress.ts';
import { withAdmin } from './with-admin.ts';

/** After this time the command goes on with the tools that are known. */
const patienceMs = 20_000;

/** `server`: the only one whose tools are needed; undefined for all. */
export async function withTools<T>(
  context: CommandContext,
  server: string | undefined,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  return withAdmin(context, async ({ admin, preparer }) => {
    if (preparer !== null) await learn(context, preparer, server);
    return work(admin);
  });
}

async function learn(context: CommandContext, admin: Admin, server: string | undefined): Promise<void> {
  const servers = await admin.run('servers.list', {});
  const unknown = servers.filter(
    ({ name, listedAt, state }) =>
      listedAt === null && state !== 'disabled' && (server === undefined || name === server),
  );
  if (unknown.length === 0) return;
  const { stderr } = context.host;
  const complaints = await showProgress(stderr, 'Asking the servers for their tools', () =>
    Promise.all(unknown.map(({ name }) => ask(admin, name))),
  );
  const isOwner = !context.host.env.TOOLCRIB_TOKEN;
  // Of servers that a limited token does not have, it hears nothing.
  if (!context.isJson && isOwner) for (const complaint of complaints) writeText(stderr, complaint);
}

/** Empty when it went well. */
async function ask(admin: Admin, name: string): Promise<string> {
  const enough = new AbortController();
  const waiting = pause(patienceMs, undefined, { signal: enough.signal }).catch(() => undefined);
  // One that does not work is not waited for until it has been tried for the last time: the command may not even need it.
  const outcome = await Promise.race([admin.run('servers.refresh', { name, once: true }), waiting]);
  enough.abort();
  if (outcome === undefined) return `note: server "${name}" has not answered yet.`;
  const error = outcome[0]?.error ?? null;
  return error === null ? '' : `note: ${printable(error)}`;
}

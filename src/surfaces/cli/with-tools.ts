/** The gateway with its tools known: servers that were never listed are asked first, or waited for where a gateway is asking them. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, OutputOf } from '../../admin/admin.ts';
import { messageOf } from '../../base/errors.ts';
import { withOwnCommand } from '../../base/own-program.ts';
import { printable } from '../../base/text.ts';
import type { CommandContext } from './context.ts';
import { noteUnknownServer } from './note-no-gateway.ts';
import { writeText } from './print.ts';
import { showProgress } from './progress.ts';
import { withAdmin } from './with-admin.ts';

/** After this time the command goes on with the tools that are known. */
const patienceMs = 20_000;
/** The same where a gateway runs, which goes on asking: a server that hangs is not to delay every command for long. */
const listingPatienceMs = 10_000;
const lookAgainMs = 100;

/** `server`: the only one whose tools are needed; undefined for all. */
export async function withTools<T>(
  context: CommandContext,
  server: string | undefined,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  return withAdmin(context, async ({ admin, preparer }) => {
    if (preparer === null) {
      await whenListed(context, admin, server);
      return work(admin);
    }
    const complaints = await learn(context, preparer, server);
    const tell = (text: string) =>
      context.isJson ? undefined : writeText(context.notes, withOwnCommand(text, context.command));
    try {
      const result = await work(admin);
      for (const complaint of complaints) tell(`note: ${complaint}`);
      return result;
    } catch (error) {
      // Trouble with a server may be the reason of this failure: print it once.
      const further = complaints.filter((complaint) => !printable(messageOf(error)).includes(complaint));
      for (const complaint of further) tell(`note: ${complaint}`);
      tell(noteUnknownServer(context, error));
      throw error;
    }
  });
}

/** A gateway that has just been started may still be asking its servers; one that has failed by then is not waited for. */
async function whenListed(context: CommandContext, admin: Admin, server: string | undefined): Promise<void> {
  // Only the owner may see the state of the servers.
  if (context.host.env.TOOLCRIB_TOKEN) return;
  const isOutstanding = async () => (await unlisted(admin, server)).some(({ lastError }) => lastError === null);
  if (!(await isOutstanding())) return;
  const until = performance.now() + listingPatienceMs;
  const { signal } = context.host;
  await showProgress(context.notes, 'Waiting for the tools of the servers', async () => {
    do await pause(lookAgainMs, undefined, { signal });
    while (performance.now() < until && (await isOutstanding()));
  });
}

/** Servers that are switched on and whose tools nobody has seen yet. */
async function unlisted(admin: Admin, server: string | undefined): Promise<OutputOf<'servers.list'>> {
  const servers = await admin.run('servers.list', {});
  return servers.filter(
    ({ name, listedAt, state }) =>
      listedAt === null && state !== 'disabled' && (server === undefined || name === server),
  );
}

/** The trouble of servers that were never listed. */
async function learn(context: CommandContext, admin: Admin, server: string | undefined): Promise<readonly string[]> {
  const unknown = await unlisted(admin, server);
  if (unknown.length === 0) return [];
  const label = 'Asking the servers for their tools';
  const complaints = await showProgress(context.notes, label, (report) => {
    let answered = 0;
    return Promise.all(
      unknown.map(async ({ name }) => {
        const complaint = await ask(admin, name);
        answered += 1;
        report({ text: `${label}: ${answered} of ${unknown.length}` });
        return complaint;
      }),
    );
  });
  const isOwner = !context.host.env.TOOLCRIB_TOKEN;
  // Of servers that a limited token does not have, it hears nothing.
  return isOwner ? complaints.filter((complaint) => complaint !== '') : [];
}

/** Empty when it went well. */
async function ask(admin: Admin, name: string): Promise<string> {
  const enough = new AbortController();
  const waiting = pause(patienceMs, undefined, { signal: enough.signal }).catch(() => undefined);
  // One that does not work is not waited for until it has been tried for the last time: the command may not even need it.
  const asking = admin.run('servers.refresh', { name, once: true });
  const soon = await Promise.race([asking, waiting]);
  enough.abort();
  // An installation ends with this command, and one that is cut off can leave a broken server behind.
  const isInstalling = soon === undefined && (await unlisted(admin, name)).some(({ state }) => state === 'installing');
  const outcome = isInstalling ? await asking : soon;
  if (outcome === undefined) return `server "${name}" has not answered yet.`;
  const error = outcome[0]?.error ?? null;
  return error === null ? '' : printable(error);
}

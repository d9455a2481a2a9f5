/** `toolcrib list`: all servers and how they are. */

import { defineCommand } from '../command.ts';
import { noteNoGateway } from '../note-no-gateway.ts';
import { remarkOn, renderServers } from '../render-server.ts';
import { withAdmin } from '../with-admin.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List the servers with their state, tools and last error',
  description:
    'Toolcrib connects to a server when it is first needed. "configured" means that nothing is wrong and the server was not needed yet, "installing" that a package runner such as npx is downloading it, "listing" that its tools are not known yet.',
  examples: [
    { line: 'list', meaning: 'All servers in a table.' },
    { line: 'list --json', meaning: 'The same with every detail, for programs.' },
  ],
  async run({ context }) {
    const { rows, isRunning } = await withAdmin(context, async ({ admin, holder }) => ({
      rows: await admin.run('servers.list', {}),
      isRunning: holder !== null,
    }));
    const alone = isRunning ? [] : [noteNoGateway(context, 'no server is connected now')];
    if (rows.length === 0) {
      const text = 'No server is configured. Add one: toolcrib add NAME -- COMMAND ARGS…';
      return { data: rows, text, remarks: alone.join('\n') };
    }
    const remarks = [...remarkOn(rows), ...alone].join('\n');
    return { data: rows, text: renderServers(rows, context, Date.now()), remarks };
  },
});

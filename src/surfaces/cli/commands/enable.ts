/** `toolcrib enable`: switches a server on. */

import { defineCommand } from '../command.ts';
import { showProgress } from '../progress.ts';
import { renderAdded } from '../render-server.ts';
import { withAdmin } from '../with-admin.ts';

export const enable = defineCommand({
  name: 'enable',
  summary: 'Switch a server on',
  args: { name: { summary: 'The server' } },
  examples: [{ line: 'enable files', meaning: 'Agents can find and call its tools again.' }],
  async run({ args, context }) {
    const server = await withAdmin(context, ({ admin }) =>
      showProgress(context.host.stderr, `Connecting to ${args.name}`, () =>
        admin.run('servers.enable', { name: args.name }),
      ),
    );
    return renderAdded(server, context, 'switched on');
  },
});

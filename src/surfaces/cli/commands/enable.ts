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

export const disable = defineCommand({
  name: 'disable',
  summary: 'Switch a server off without forgetting it',
  args: { name: { summary: 'The server' } },
  examples: [{ line: 'disable files', meaning: 'Agents no longer see its tools; "toolcrib enable files" undoes it.' }],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('servers.disable', { name: args.name }));
    return { data, text: `Server ${context.style.strong(data.name)} is switched off.` };
  },
});

/** `toolcrib show`: one server in detail. */

import { defineCommand } from '../command.ts';
import { renderDetails } from '../render-details.ts';
import { withAdmin } from '../with-admin.ts';

export const showServer = defineCommand({
  name: 'show',
  summary: 'Show one server: its state, settings and tools',
  description: 'Settings that are not shown have their default. Secrets are never shown.',
  args: { name: { summary: 'The server' } },
  examples: [
    { line: 'show files', meaning: 'Its state, connection, settings and tools.' },
    { line: 'show files --json', meaning: 'The same with every detail, for programs.' },
  ],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('servers.show', { name: args.name }));
    return renderDetails(data, context, `Server ${context.style.strong(data.name)} is ${data.state}.`);
  },
});

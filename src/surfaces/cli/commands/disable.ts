/** `toolcrib disable`: switches a server off without forgetting it. */

import { defineCommand } from '../command.ts';
import { withAdmin } from '../with-admin.ts';

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

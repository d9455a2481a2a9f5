/** `toolcrib remove`: takes out a server that was added. */

import { defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import { withAdmin } from '../with-admin.ts';

export const remove = defineCommand({
  name: 'remove',
  summary: 'Remove a server that was added',
  description: 'To remove a server of the config file, edit that file, or disable the server: toolcrib disable NAME.',
  args: { name: { summary: 'The server' } },
  flags: { yes: yesFlag },
  examples: [{ line: 'remove files', meaning: 'Ends the server and forgets its tools.' }],
  async run({ args, flags, context }) {
    await confirm(context, `Remove server "${args.name}" with its settings, sign-in and approvals?`, flags.yes);
    const data = await withAdmin(context, ({ admin }) => admin.run('servers.remove', { name: args.name }));
    return { data, text: `Server ${context.style.strong(data.name)} is removed.` };
  },
});

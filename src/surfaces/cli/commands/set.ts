/** `toolcrib set`: changes the settings of a server that was added, while it runs. */

import { checkCategory } from '../check-category.ts';
import { defineCommand } from '../command.ts';
import { readSettings, settingFlags } from '../read-settings.ts';
import { renderDetails } from '../render-details.ts';
import { withAdmin } from '../with-admin.ts';

export const set = defineCommand({
  name: 'set',
  summary: 'Change a server: its tools, permissions, aliases, category, limits or title',
  description:
    'Changes apply at once: the server keeps running, running calls finish, and connected agents are notified when their list changes. --permission and --alias add to the current values; other options replace them. For a server of the config file, edit that file.',
  args: { name: { summary: 'The server' } },
  flags: settingFlags,
  examples: [
    { line: 'set files --tools read_file,list_directory', meaning: 'Agents see these two tools.' },
    {
      line: `set files --permission 'write_*=ask' --timeout-ms 5000`,
      meaning: 'Ask before writing; end calls after five seconds.',
    },
    { line: `set files --unset 'permissions.write_*' --tools all`, meaning: 'All tools again, without asking.' },
  ],
  async run({ args, flags, context }) {
    await checkCategory(flags.category);
    const changes = readSettings(flags);
    const data = await withAdmin(context, ({ admin }) => admin.run('servers.set', { name: args.name, ...changes }));
    const head = `Server ${context.style.strong(data.name)} ${data.isChanged ? 'is changed.' : 'already has these settings.'}`;
    return renderDetails(data, context, head);
  },
});

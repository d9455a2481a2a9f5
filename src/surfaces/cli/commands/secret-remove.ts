/** `toolcrib secret remove`: forgets a secret. */

import { defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import { withAdmin } from '../with-admin.ts';

export const secretRemove = defineCommand({
  name: 'secret remove',
  summary: 'Remove a secret',
  description: 'A secret that servers use is kept, unless --force is given: those servers then stop working.',
  args: { name: { summary: 'The secret' } },
  flags: { force: { summary: 'Also while servers use it' }, yes: yesFlag },
  examples: [{ line: 'secret remove LINEAR_KEY', meaning: 'The value is deleted.' }],
  async run({ args, flags, context }) {
    await confirm(context, `Remove secret "${args.name}"?`, flags.yes);
    const data = await withAdmin(context, ({ admin }) =>
      admin.run('secrets.remove', { name: args.name, force: flags.force }),
    );
    const left = data.usedBy.length === 0 ? '' : ` These servers cannot be used without it: ${data.usedBy.join(', ')}.`;
    return { data, text: `Secret ${context.style.strong(data.name)} is removed.${left}` };
  },
});

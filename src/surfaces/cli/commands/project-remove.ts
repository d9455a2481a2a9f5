/** `toolcrib project remove`: takes a project away; its servers stay. */

import { defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import { withAdmin } from '../with-admin.ts';

export const projectRemove = defineCommand({
  name: 'project remove',
  summary: 'Remove a project; its servers stay',
  description:
    'A project that tokens are bound to stays, unless --force says otherwise: those tokens then find nothing, but what servers bring that name the project themselves.',
  args: { name: { summary: 'The project' } },
  flags: { force: { summary: 'Also while tokens are bound to it' }, yes: yesFlag },
  examples: [{ line: 'project remove shop', meaning: 'Nobody comes in by /projects/shop/mcp any more.' }],
  async run({ args, flags, context }) {
    await confirm(context, `Remove project "${args.name}" with its settings?`, flags.yes);
    const data = await withAdmin(context, ({ admin }) =>
      admin.run('projects.remove', { name: args.name, force: flags.force }),
    );
    return { data, text: `Project ${context.style.strong(data.name)} is removed.` };
  },
});

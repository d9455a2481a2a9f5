/** `toolcrib project set`: changes what is in a project, how tools are found there and what may be done with them. */

import { GatewayError } from '../../../base/errors.ts';
import { defineCommand } from '../command.ts';
import { projectFlags, readProject } from '../read-project.ts';
import { renderProject } from '../render-project.ts';
import { withAdmin } from '../with-admin.ts';

export const projectSet = defineCommand({
  name: 'project set',
  summary: 'Change a project: its servers, search, surface or permissions',
  description:
    'What is not named stays as it is: --servers replaces the servers, --allow, --ask and --deny add to the permissions, --forget takes one out. Agents that are connected hear of it, and what is refused is refused from the next call on.',
  args: { name: { summary: 'The project' } },
  flags: {
    ...projectFlags,
    forget: { value: 'TOOL', isRepeatable: true, summary: 'A permission that is taken out, as it was written' },
  },
  examples: [
    { line: `project set shop --deny 'till:refund'`, meaning: 'One tool less, from now on.' },
    { line: `project set shop --forget 'till:refund'`, meaning: 'It is there again.' },
  ],
  async run({ args, flags, context }) {
    const { permissions, ...settings } = readProject(flags);
    const forgotten = Object.fromEntries(flags.forget.map((tool) => [tool, null]));
    const both = flags.forget.find((tool) => Object.hasOwn(permissions, tool));
    if (both !== undefined) throw new GatewayError('USAGE', `"${both}" is both given and forgotten.`);
    const project = { name: args.name, ...settings, permissions: { ...permissions, ...forgotten } };
    const set = await withAdmin(context, ({ admin }) => admin.run('projects.set', project));
    return renderProject(set, context, 'changed');
  },
});

/** `toolcrib project create`: makes a set of servers with a search, a surface and permissions of its own. */

import { defineCommand } from '../command.ts';
import { projectFlags, readProject } from '../read-project.ts';
import { renderProject } from '../render-project.ts';
import { withAdmin } from '../with-admin.ts';

export const projectCreate = defineCommand({
  name: 'project create',
  summary: 'Make a project: a set of servers with permissions of its own',
  description:
    'Agents come in by the path /projects/NAME/mcp, by the header X-Toolcrib-Project, or with a token that is bound to the project, and then only its servers are there. Servers belong to it by --servers, or because their own "projects" name it. Of what a server and a project say about a tool, the stricter counts; within each, the most specific name.',
  args: { name: { summary: 'How the project is called' } },
  flags: projectFlags,
  examples: [
    {
      line: `project create shop --servers 'till,stock*' --deny '*:delete_*'`,
      meaning: 'Two kinds of servers, and no tool that deletes.',
    },
    { line: 'project create robots --servers arm --search off', meaning: 'Agents call only what they know already.' },
  ],
  async run({ args, flags, context }) {
    const project = { name: args.name, ...readProject(flags) };
    const made = await withAdmin(context, ({ admin }) => admin.run('projects.create', project));
    return renderProject(made, context, 'made');
  },
});

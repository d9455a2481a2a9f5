/** `toolcrib project list`: all projects, what is in them and who is bound to them. */

import { defineCommand } from '../command.ts';
import { renderProjects } from '../render-project.ts';
import { withAdmin } from '../with-admin.ts';

export const projectList = defineCommand({
  name: 'project list',
  summary: 'List the projects with their servers, permissions and tokens',
  examples: [
    { line: 'project list', meaning: 'All projects in a table.' },
    { line: 'project list --json', meaning: 'The same with every detail, for programs.' },
  ],
  async run({ context }) {
    const rows = await withAdmin(context, ({ admin }) => admin.run('projects.list', {}));
    if (rows.length === 0)
      return { data: rows, text: 'There is no project. Make one: toolcrib project create NAME --servers A,B' };
    return { data: rows, text: renderProjects(rows, context) };
  },
});

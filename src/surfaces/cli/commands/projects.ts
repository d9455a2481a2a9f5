/** The commands about projects: make, list, change and remove them. */

import { GatewayError } from '../../../base/errors.ts';
import { defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import { projectFlags, readProject } from '../read-project.ts';
import { renderProject, renderProjects } from '../render-project.ts';
import { withAdmin } from '../with-admin.ts';

export const projectCreate = defineCommand({
  name: 'project create',
  isOrder: true,
  summary: 'Create a project: a set of servers with its own permissions',
  description:
    'Agents reach a project by the path /projects/NAME/mcp, by the header X-Toolcrib-Project, or with a token that is bound to it, and then see only its servers. A server belongs to it through --servers or through its own "projects" setting. If server and project both have a permission for a tool, the stricter one applies; within each, the one with the most specific name.',
  args: { name: { summary: 'A name for the project' } },
  flags: projectFlags,
  examples: [
    {
      line: `project create shop --servers 'till,stock*' --deny '*:delete_*'`,
      meaning: 'Two kinds of servers, and no tool that deletes.',
    },
    {
      line: 'project create robots --servers arm --search off',
      meaning: 'Agents can call only tools they already know.',
    },
  ],
  async run({ args, flags, context }) {
    const project = { name: args.name, ...readProject(flags) };
    const made = await withAdmin(context, ({ admin }) => admin.run('projects.create', project));
    return renderProject(made, context, 'made');
  },
});

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
      return { data: rows, text: 'There are no projects. Create one: toolcrib project create NAME --servers A,B' };
    return { data: rows, text: renderProjects(rows, context) };
  },
});

export const projectSet = defineCommand({
  name: 'project set',
  isOrder: true,
  summary: 'Change a project: its servers, search, surface or permissions',
  description:
    'Other settings stay as they are: --servers replaces the servers; --allow, --ask and --deny add permissions; --forget removes one. Connected agents are notified, and the next call follows the new permissions.',
  args: { name: { summary: 'The project' } },
  flags: {
    ...projectFlags,
    forget: { value: 'TOOL', isRepeatable: true, summary: 'A permission to remove, exactly as it was written' },
  },
  examples: [
    { line: `project set shop --deny 'till:refund'`, meaning: 'Denies one tool.' },
    { line: `project set shop --forget 'till:refund'`, meaning: 'Allows it again.' },
  ],
  async run({ args, flags, context }) {
    const { permissions, ...settings } = readProject(flags);
    const forgotten = Object.fromEntries(flags.forget.map((tool) => [tool, null]));
    const both = flags.forget.find((tool) => Object.hasOwn(permissions, tool));
    if (both !== undefined) throw new GatewayError('USAGE', `"${both}" is both set and removed with --forget.`);
    const project = { name: args.name, ...settings, permissions: { ...permissions, ...forgotten } };
    const set = await withAdmin(context, ({ admin }) => admin.run('projects.set', project));
    return renderProject(set, context, 'changed');
  },
});

export const projectRemove = defineCommand({
  name: 'project remove',
  isOrder: true,
  summary: 'Remove a project; its servers stay',
  description:
    'Keeps a project that tokens are bound to, unless you add --force: those tokens then see only servers that name the project themselves.',
  args: { name: { summary: 'The project' } },
  flags: { force: { summary: 'Remove it even if tokens are bound to it' }, yes: yesFlag },
  examples: [{ line: 'project remove shop', meaning: 'The path /projects/shop/mcp stops working.' }],
  async run({ args, flags, context }) {
    await confirm(context, `Remove project "${args.name}" with its settings?`, flags.yes);
    const data = await withAdmin(context, ({ admin }) =>
      admin.run('projects.remove', { name: args.name, force: flags.force }),
    );
    return { data, text: `Project ${context.style.strong(data.name)} is removed.` };
  },
});

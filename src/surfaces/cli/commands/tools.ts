/** The commands that show tools: all that agents can use, and one in detail. */

import { plural } from '../../../base/plural.ts';
import { checkCategory } from '../check-category.ts';
import { defineCommand } from '../command.ts';
import { renderBrief, renderTool } from '../render-tool.ts';
import { table } from '../table.ts';
import { serverOf } from '../tool-key.ts';
import { withTools } from '../with-tools.ts';

export const tools = defineCommand({
  name: 'tools',
  summary: 'List the tools',
  flags: {
    server: { value: 'NAME', names: 'servers', summary: 'Only those of this server' },
    category: { value: 'NAME', summary: 'Only those of this category, such as git or database' },
  },
  examples: [
    { line: 'tools', meaning: 'Every tool with its category and the first sentence about it.' },
    { line: 'tools --server files', meaning: 'Those of one server.' },
  ],
  async run({ flags, context }) {
    await checkCategory(flags.category);
    const rows = await withTools(context, flags.server, (admin) =>
      admin.run('tools.list', { server: flags.server, category: flags.category }),
    );
    if (rows.length === 0) return { data: rows, text: 'There are no such tools.' };
    const { style, width } = context;
    const text = table(
      rows,
      [
        { title: 'TOOL', cell: (row) => row.toolKey, paint: (cell) => style.strong(cell) },
        { title: 'CATEGORY', cell: (row) => row.category, paint: (cell) => style.faint(cell) },
        { title: 'WHAT IT DOES', cell: (row) => row.description, isProse: true },
      ],
      { style, width },
    );
    return { data: rows, text: `${text}\n\n${plural(rows.length, 'tool')}.` };
  },
});

export const info = defineCommand({
  name: 'info',
  summary: 'Describe a tool and its parameters',
  isVerbatim: true,
  args: { tool: { summary: 'The tool, as SERVER:TOOL', names: 'tools' } },
  flags: { brief: { summary: 'Only the first sentence and the names of the parameters' } },
  examples: [
    { line: 'info files:read_file', meaning: 'Description, parameters and hints.' },
    { line: 'info files:read_file --json', meaning: 'The whole definition with its schemas.' },
  ],
  async run({ args, flags, context }) {
    const data = await withTools(context, serverOf(args.tool), (admin) =>
      admin.run('tools.info', { toolKey: args.tool, full: !flags.brief }),
    );
    const text = flags.brief ? renderBrief(data, context.style) : renderTool(data, context.style);
    return { data, text };
  },
});

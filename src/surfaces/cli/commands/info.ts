/** `toolcrib info`: what one tool is and takes. */

import { defineCommand } from '../command.ts';
import { renderBrief, renderTool } from '../render-tool.ts';
import { serverOf } from '../tool-key.ts';
import { withTools } from '../with-tools.ts';

export const info = defineCommand({
  name: 'info',
  summary: 'Describe a tool and its parameters',
  isVerbatim: true,
  args: { tool: { summary: 'The tool, as SERVER:TOOL' } },
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

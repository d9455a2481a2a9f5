/** `toolcrib forget`: takes back what was approved for always. */

import { printable } from '../../../base/text.ts';
import { defineCommand } from '../command.ts';
import { withAdmin } from '../with-admin.ts';

export const forget = defineCommand({
  name: 'forget',
  summary: 'Take back an approval for always',
  args: { id: { summary: 'The approval, as "toolcrib approvals --lasting" shows it' } },
  examples: [{ line: 'forget k7m2qp', meaning: 'The next call of that tool is asked about again.' }],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('approvals.forget', { id: args.id }));
    const tool = context.style.strong(printable(data.toolKey));
    return { data, text: `Calls of ${tool} by ${printable(data.principal)} need approval again.` };
  },
});

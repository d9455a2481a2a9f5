/** `toolcrib refuse`: refuses a call that waits for approval. */

import { printable } from '../../../base/text.ts';
import { defineCommand } from '../command.ts';
import { withAdmin } from '../with-admin.ts';

export const refuse = defineCommand({
  name: 'refuse',
  summary: 'Refuse a call that waits for approval',
  args: { id: { summary: 'The call, as "toolcrib approvals" shows it' } },
  examples: [
    { line: 'refuse k7m2qp', meaning: 'The agent is told so, and the same call is not asked about again for a while.' },
  ],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) =>
      admin.run('approvals.answer', { id: args.id, answer: 'refuse' }),
    );
    return { data, text: `The call of ${context.style.strong(printable(data.toolKey))} is refused.` };
  },
});

/** `toolcrib deny`: refuses a call that waits for approval. */

import { defineCommand, olderName } from '../command.ts';
import { visibleLine } from '../visible.ts';
import { withAdmin } from '../with-admin.ts';

export const deny = defineCommand({
  name: 'deny',
  summary: 'Deny a call that waits for approval',
  args: { id: { summary: 'The call, as "toolcrib approvals" shows it' } },
  examples: [
    {
      line: 'deny call_k7m2qp',
      meaning: 'The agent gets an error. The same call is denied without asking for a while.',
    },
  ],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) =>
      admin.run('approvals.answer', { id: args.id, answer: 'refuse' }),
    );
    return { data, text: `The call of ${context.style.strong(visibleLine(data.toolKey))} is denied.` };
  },
});

export const refuse = olderName('refuse', deny);

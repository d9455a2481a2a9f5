/** `toolcrib forget`: takes back what was approved for always or for a session. */

import type { LastingApproval } from '../../../admin/admin.ts';
import { defineCommand } from '../command.ts';
import { visibleLine } from '../visible.ts';
import { withAdmin } from '../with-admin.ts';

export const forget = defineCommand({
  name: 'forget',
  summary: 'Revoke a standing approval',
  args: { id: { summary: 'The approval, as "toolcrib approvals --lasting" shows it' } },
  examples: [{ line: 'forget call_k7m2qp', meaning: 'The next call of that tool is asked about again.' }],
  async run({ args, context }) {
    return withAdmin(context, async ({ admin }) => {
      const data = await admin.run('approvals.forget', { id: args.id });
      const others = (await admin.run('approvals.lasting', {})).filter((other) => isForSame(other, data));
      const tool = context.style.strong(visibleLine(data.toolKey));
      const where = data.holds === 'session' && data.until === null ? ' in that session' : '';
      const said = `Calls of ${tool} by ${visibleLine(data.principal)}${where} need approval again.`;
      return { data, text: [said, ...stillHolding(others)].join('\n') };
    });
  },
});

function isForSame(other: LastingApproval, { toolKey, principal, project }: LastingApproval): boolean {
  return other.toolKey === toolKey && other.principal === principal && other.project === project;
}

/** The same tool may have been approved for always and for several sessions. */
function stillHolding(others: readonly LastingApproval[]): string[] {
  if (others.length === 0) return [];
  return [`Other approvals of the same tool still hold: ${others.map(({ id }) => id).join(', ')}.`];
}

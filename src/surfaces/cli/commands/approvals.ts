/** `toolcrib approvals`: which calls wait for approval, and what was approved beyond one call. */

import { GatewayError } from '../../../base/errors.ts';
import { defineCommand, type Outcome } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { followApprovals } from '../follow-approvals.ts';
import { noteNoGateway } from '../note-no-gateway.ts';
import { toJson, writeText } from '../print.ts';
import { renderLasting, renderWaiting, waitingLines } from '../render-approvals.ts';
import { withAdmin } from '../with-admin.ts';

export const approvals = defineCommand({
  name: 'approvals',
  summary: 'Show calls that wait for approval, with exactly what would be called',
  description:
    'A tool whose permission is "ask" is called only after somebody approves it: the person at the agent where the agent can ask, and the owner here. A call that nobody answers is refused after a while, and none of them survives a restart of the gateway. What an agent sends beside the arguments (members of "_meta") is shown apart from them, and approved with them. An approval for a session ends with the session; an agent without one shares it for an hour with every agent that has the same token.',
  flags: {
    follow: { summary: 'Go on printing calls as they come until it is stopped' },
    lasting: { summary: 'Show instead which tools were approved for always or for a session, and how long that holds' },
  },
  examples: [
    { line: 'approvals', meaning: 'The newest last; "toolcrib approve ID" approves one.' },
    { line: 'approvals --follow', meaning: 'In a terminal beside the agent.' },
    { line: 'approvals --lasting', meaning: 'What "toolcrib forget ID" can take back.' },
  ],
  async run({ flags, context }) {
    if (flags.follow && flags.lasting)
      throw new GatewayError('USAGE', 'Only calls that wait can be followed: leave out --lasting.');
    if (flags.follow) return follow(context);
    return withAdmin(context, async ({ admin, holder }): Promise<Outcome> => {
      if (flags.lasting) {
        const lasting = await admin.run('approvals.lasting', {});
        return { data: lasting, text: renderLasting(lasting, context) };
      }
      const data = await admin.run('approvals.list', {});
      const remarks = holder === null ? noteNoGateway(context, 'no call can wait for approval') : '';
      return { data, text: renderWaiting(data, context.style, Date.now()), remarks };
    });
  },
});

async function follow(context: CommandContext): Promise<Outcome> {
  await followApprovals(context, (call) =>
    writeText(
      context.host.stdout,
      context.isJson ? toJson(call, 0) : `${waitingLines(call, context.style, Date.now())}\n\n`,
    ),
  );
  return { exitCode: exitCodes.ok };
}

/** `toolcrib approve`: approves a call that waits. */

import { GatewayError } from '../../../base/errors.ts';
import { defineCommand, olderName } from '../command.ts';
import { visibleLine } from '../visible.ts';
import { withAdmin } from '../with-admin.ts';

export const approve = defineCommand({
  name: 'approve',
  summary: 'Approve a call that waits for it',
  description:
    'Approves one call, unless a flag says more. An agent that could not wait makes exactly the same call again. With --always the approval holds for one token and one tool, with any arguments, until the definition of the tool changes. "toolcrib approvals --lasting" shows standing approvals.',
  args: { id: { summary: 'The call, as "toolcrib approvals" shows it' } },
  flags: {
    session: {
      summary:
        'All calls of this tool in the same session of the agent; where it has none, by every agent with the same token, for an hour',
    },
    always: { summary: 'All calls of this tool with the same token' },
  },
  examples: [
    { line: 'approve call_k7m2qp', meaning: 'This one call.' },
    {
      line: 'approve call_k7m2qp --always',
      meaning: 'No further questions about this tool; "toolcrib forget" revokes it.',
    },
  ],
  async run({ args, flags, context }) {
    if (flags.session && flags.always) throw new GatewayError('USAGE', 'Say --session or --always, not both.');
    const answer = flags.always ? 'always' : flags.session ? 'session' : 'once';
    const data = await withAdmin(context, ({ admin }) => admin.run('approvals.answer', { id: args.id, answer }));
    return { data, text: `${context.style.strong(visibleLine(data.toolKey))} may be called ${holds[answer](data)}.` };
  },
});

interface Asker {
  readonly principal: string;
  readonly hasSession: boolean;
}

const holds = {
  once: ({ principal }: Asker) => `once by ${visibleLine(principal)}, as it was shown`,
  session: ({ principal, hasSession }: Asker) =>
    hasSession
      ? `by ${visibleLine(principal)} in this session`
      : `for one hour by every agent with the token of ${visibleLine(principal)}`,
  always: ({ principal }: Asker) => `by ${visibleLine(principal)} without asking, until it changes`,
} as const;

export const allow = olderName('allow', approve);

/** `toolcrib approvals`: which calls wait for approval, and what was approved beyond one call. */

import type { LastingApproval, WaitingCall } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { visibleLine } from '../../../base/visible.ts';
import { type CommandOutcome, defineCommand, olderName } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { followGateway } from '../follow-gateway.ts';
import { noteNoGateway } from '../note-no-gateway.ts';
import { toPrintableJson, writeText } from '../print.ts';
import { renderLasting, renderWaiting, waitingLines } from '../render-approvals.ts';
import { withAdmin } from '../with-admin.ts';

export const approvals = defineCommand({
  name: 'approvals',
  summary: 'Show calls that wait for approval, with their exact arguments',
  description:
    'A tool with the permission "ask" runs only after somebody approves the call: the person at the agent, if the agent can ask, or you here. Calls that nobody answers are refused after a while. A restart of the gateway ends them too, except requests to the owner on PostgreSQL. Members of "_meta" that go to the server are shown and approved with the arguments. A session approval ends with the session; agents without a session share it for an hour with all agents of the same token.',
  flags: {
    follow: { summary: 'Keep printing new calls until you stop it' },
    lasting: { summary: 'Show standing approvals instead: tools approved always or for a session, and until when' },
  },
  examples: [
    { line: 'approvals', meaning: 'The newest last; "toolcrib approve ID" approves one.' },
    { line: 'approvals --follow', meaning: 'In a terminal beside the agent.' },
    { line: 'approvals --lasting', meaning: 'The approvals that "toolcrib forget ID" can revoke.' },
  ],
  async run({ flags, context }) {
    if (flags.follow && flags.lasting)
      throw new GatewayError('USAGE', '--follow shows waiting calls only: leave out --lasting.');
    if (flags.follow) return follow(context);
    return withAdmin(context, async ({ admin, holder }): Promise<CommandOutcome> => {
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

async function follow(context: CommandContext): Promise<CommandOutcome> {
  await followApprovals(context, (call) =>
    writeText(
      context.host.stdout,
      context.isJson ? toPrintableJson(call, 0) : `${waitingLines(call, context.style, Date.now())}\n\n`,
    ),
  );
  return { exitCode: exitCodes.ok };
}

export const approve = defineCommand({
  name: 'approve',
  isOrder: true,
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
    if (flags.session && flags.always) throw new GatewayError('USAGE', 'Use --session or --always, not both.');
    const answer = flags.always ? 'always' : flags.session ? 'session' : 'once';
    const data = await withAdmin(context, ({ admin }) => admin.run('approvals.answer', { id: args.id, answer }));
    return { data, text: `${context.style.strong(visibleLine(data.toolKey))} may be called ${holds[answer](data)}.` };
  },
});

interface Requester {
  readonly principal: string;
  readonly hasSession: boolean;
}

const holds = {
  once: ({ principal }: Requester) => `once by ${visibleLine(principal)}, as it was shown`,
  session: ({ principal, hasSession }: Requester) =>
    hasSession
      ? `by ${visibleLine(principal)} in this session`
      : `for one hour by every agent with the token of ${visibleLine(principal)}`,
  always: ({ principal }: Requester) => `by ${visibleLine(principal)} without asking, until it changes`,
} as const;

export const allow = olderName('allow', approve);

export const deny = defineCommand({
  name: 'deny',
  isOrder: true,
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

export const refuseCommand = olderName('refuse', deny);

export const forget = defineCommand({
  name: 'forget',
  isOrder: true,
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

/** Resolves when the process is asked to end. */
async function followApprovals(context: CommandContext, show: (call: WaitingCall) => void): Promise<void> {
  let shown: ReadonlySet<string> = new Set();
  await followGateway(context, async (admin, signal) => {
    for await (const event of admin.events(signal)) {
      const isNews = event.kind === 'changed' && event.data.topic === 'approvals';
      if (event.kind !== 'begin' && !isNews) continue;
      const calls = await admin.run('approvals.list', {}, signal);
      for (const call of calls) if (!shown.has(call.id)) show(call);
      shown = new Set(calls.map(({ id }) => id));
    }
  });
}

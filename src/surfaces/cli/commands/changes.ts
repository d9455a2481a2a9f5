/** `toolcrib changes`: what is no longer as it was approved, or was never approved. */

import { defineCommand } from '../command.ts';
import { kindFlag, readDefinitionKey } from '../definition-key.ts';
import { renderChanges, renderHistory } from '../render-changes.ts';
import { withAdmin } from '../with-admin.ts';

export const changes = defineCommand({
  name: 'changes',
  summary: 'Show definitions that changed since they were approved, with what differs',
  description:
    'What a server says of its tools is approved when it is first seen. Later changes that carry no risk pass and are recorded; others wait here: agents keep the approved wording, and calls are refused until you approve.',
  args: { which: { summary: 'A server, or one thing of it as SERVER:NAME; without it all', isOptional: true } },
  flags: { all: { summary: 'Also what happened before, newest first' }, kind: kindFlag },
  examples: [
    { line: 'changes', meaning: 'Everything that waits for a decision, with the reasons and what differs.' },
    { line: 'changes files:read_file --all', meaning: 'The history of one tool.' },
  ],
  async run({ args, flags, context }) {
    const address = args.which === undefined ? { kind: undefined } : readDefinitionKey(args.which, flags.kind);
    // What a program reads, nobody has seen yet.
    const query = { ...address, all: flags.all, isRead: !context.isJson };
    const data = await withAdmin(context, ({ admin }) => admin.run('changes.list', query));
    const waiting =
      data.changes.length === 0
        ? 'Nothing waits: every definition is as it was approved.'
        : renderChanges(data.changes, context.style);
    const past = flags.all ? `\n\n${renderHistory(data.history, context.style) || 'Nothing happened before.'}` : '';
    return { data, text: `${waiting}${past}` };
  },
});

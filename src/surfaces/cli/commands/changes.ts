/** `toolcrib changes`: what is no longer as it was approved, or was never approved. */

import { defineCommand } from '../command.ts';
import { type DefinitionAddress, kindFlag, readDefinitionKey } from '../definition-key.ts';
import { noteShown } from '../note-shown.ts';
import { renderHistory } from '../render-changes.ts';
import { type SurveyScope, surveyChanges } from '../survey-changes.ts';
import { withAdmin } from '../with-admin.ts';

export const changes = defineCommand({
  name: 'changes',
  summary: 'Show definitions that changed since they were approved, with what differs',
  description:
    'What a server says of its tools is approved when it is first seen. Later changes that carry no risk pass and are recorded; others wait here: agents keep the approved wording, and calls are refused until you approve. What was taken at first sight and is only worth a look has one line, and what you rejected none, unless a server is named or --all is given; long texts are cut unless SERVER:NAME is. What was not shown whole counts as not read.',
  args: { which: { summary: 'A server, or one thing of it as SERVER:NAME; without it all', isOptional: true } },
  flags: {
    all: { summary: 'Also what was rejected, and what happened before, newest first' },
    kind: kindFlag,
  },
  examples: [
    {
      line: 'changes',
      meaning: 'What waits for a decision, with the reasons and what differs, and what is worth a look.',
    },
    { line: 'changes files:read_file', meaning: 'One tool, with nothing left out.' },
    { line: 'changes files:read_file --all', meaning: 'The history of one tool.' },
  ],
  async run({ args, flags, context }) {
    const address: Partial<DefinitionAddress> =
      args.which === undefined ? {} : readDefinitionKey(args.which, flags.kind);
    const scope = scopeOf(address, flags.all);
    return withAdmin(context, async ({ admin }) => {
      const data = await admin.run('changes.list', { ...address, all: flags.all });
      const { text, whole } = surveyChanges(data.changes, scope, context.style);
      // What a program reads, nobody has seen yet.
      if (!context.isJson) await noteShown(admin, whole);
      const past = flags.all ? `\n\n${renderHistory(data.history, context.style) || 'Nothing happened before.'}` : '';
      return { data, text: `${text}${past}` };
    });
  },
});

function scopeOf({ server, name, kind }: Partial<DefinitionAddress>, isAll: boolean): SurveyScope {
  if (server === undefined) return isAll ? 'server' : 'all';
  return name !== undefined || kind === 'server' ? 'one' : 'server';
}

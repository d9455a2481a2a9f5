/** `toolcrib review`: definitions that are no longer as they were approved, or were never approved. */

import type { OutputOf } from '../../../admin/admin.ts';
import { defineCommand, olderName } from '../command.ts';
import { type DefinitionAddress, kindFlag, readDefinitionKey } from '../definition-key.ts';
import { noteShown } from '../note-shown.ts';
import { renderHistory } from '../render-changes.ts';
import { minuteOf } from '../show-amounts.ts';
import { surveyChanges } from '../survey-changes.ts';
import { withAdmin } from '../with-admin.ts';

export const review = defineCommand({
  name: 'review',
  summary: 'Show definitions that are new, changed or held back, and why',
  description:
    'The first wording of a tool that a server shows is scanned and approved. Later changes without risk pass and are recorded; the others wait here. Agents keep the approved wording, and calls are refused until you accept the change. Several definitions are shown by reason; name one as SERVER:NAME, or add --verbose, to read all of it.',
  args: { which: { summary: 'A server, or one definition as SERVER:NAME; without it all', isOptional: true } },
  flags: {
    verbose: { summary: 'Show every definition with all that differs' },
    all: { summary: 'Also show what you rejected' },
    history: { summary: 'Show instead what was added, changed, removed and decided, newest first' },
    kind: kindFlag,
  },
  examples: [
    { line: 'review', meaning: 'What waits for a decision, by reason, and what is worth a look.' },
    { line: 'review files:read_file', meaning: 'One tool, with nothing left out.' },
    { line: 'review --history files:read_file', meaning: 'What happened to one tool.' },
  ],
  async run({ args, flags, context }) {
    const address: Partial<DefinitionAddress> =
      args.which === undefined ? {} : readDefinitionKey(args.which, flags.kind);
    return withAdmin(context, async ({ admin }) => {
      const data = await admin.run('changes.list', { ...address, all: flags.history });
      if (flags.history) return { data, text: renderHistory(data.history, context.style) };
      const { text, whole } = surveyChanges(
        data,
        { ...address, verbose: flags.verbose, all: flags.all },
        context.style,
      );
      // A program that reads the list is nobody who was shown it.
      if (!context.isJson) await noteShown(admin, whole);
      return { data, text: [text, ...lastChangeIn(data)].join('\n\n') };
    });
  },
});

function lastChangeIn({ lastChange }: OutputOf<'changes.list'>): string[] {
  return lastChange === null ? [] : [`Last change: ${lastChange.summary}, ${minuteOf(lastChange.at)}`];
}

export const changes = olderName('changes', review);

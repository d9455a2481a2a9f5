/** `toolcrib review`: definitions that are no longer as they were approved, or were never approved. */

import type { OutputOf } from '../../../admin/admin.ts';
import { minuteOf } from '../../../base/amounts.ts';
import { defineCommand, olderName } from '../command.ts';
import { acceptDefinitions, rejectDefinitions, undoDecision } from '../decide.ts';
import { type DefinitionAddress, kindFlag, readDefinitionKey } from '../definition-key.ts';
import { noteShown } from '../note-shown.ts';
import { renderHistory } from '../render-changes.ts';
import { surveyChanges } from '../survey-changes.ts';
import { withAdmin } from '../with-admin.ts';

export const review = defineCommand({
  name: 'review',
  summary: 'Show definitions that are new, changed or withheld, and why',
  description:
    'Toolcrib scans and approves the first definition of a tool. Later changes without risk pass and are recorded; risky ones wait here. Agents keep the approved definition, and calls are refused until you accept the change. Several definitions are grouped by reason; name one as SERVER:NAME, or add --verbose, to see everything.',
  args: {
    which: {
      summary: 'A server, or one definition as SERVER:NAME; without it all',
      names: 'targets',
      isOptional: true,
    },
  },
  flags: {
    verbose: { summary: 'Show every definition with all its differences' },
    all: { summary: 'Also show rejected definitions' },
    history: { summary: 'Show the history instead: additions, changes, removals and decisions, newest first' },
    kind: kindFlag,
  },
  examples: [
    { line: 'review', meaning: 'Definitions that wait for a decision, by reason, and those worth a look.' },
    { line: 'review files:read_file', meaning: 'One tool, with nothing left out.' },
    { line: 'review --history files:read_file', meaning: 'The history of one tool.' },
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

export const reviewAccept = defineCommand({
  name: 'review accept',
  isOrder: true,
  summary: 'Accept definitions that are new or changed',
  description:
    'On a terminal, asks one question for each reason, and accepts a definition when you say yes to all of its reasons. Elsewhere, shows what it would accept, and accepts that on the next run. It never accepts a definition that the server changed in between. Accept rejected definitions by name.',
  args: { which: { summary: 'A server, or one definition as SERVER:NAME', names: 'targets' } },
  flags: {
    kind: kindFlag,
    yes: { summary: 'Accept all of it without asking' },
    fingerprint: {
      summary: 'Accept this, by its whole fingerprint from "review --json"; for programs',
      value: 'FINGERPRINT',
      isRepeatable: true,
    },
  },
  examples: [
    {
      line: 'review accept files:read_file',
      meaning: 'Agents see the new definition at once and can call the tool again.',
    },
    { line: 'review accept files', meaning: 'Everything of the server that waits, one question for each reason.' },
  ],
  run: ({ args, flags, context }) => acceptDefinitions(context, readDefinitionKey(args.which, flags.kind), flags),
});

export const reviewReject = defineCommand({
  name: 'review reject',
  isOrder: true,
  summary: 'Reject definitions that are new or changed',
  description:
    'The approved definition stays, and calls are refused. You are asked again only after the server changes it once more.',
  args: { which: { summary: 'A server, or one definition as SERVER:NAME', names: 'targets' } },
  flags: { kind: kindFlag },
  examples: [
    { line: 'review reject files:read_file', meaning: 'It no longer waits; "toolcrib review undo" takes that back.' },
  ],
  run: ({ args, flags, context }) => rejectDefinitions(context, readDefinitionKey(args.which, flags.kind)),
});

export const reject = olderName('reject', reviewReject);

export const reviewUndo = defineCommand({
  name: 'review undo',
  isOrder: true,
  summary: 'Undo your last accept or reject',
  description:
    'Agents see the previous approved definition at once, and the one you accepted waits for review again. For a server, undoes everything that was decided together last.',
  args: { which: { summary: 'A server, or one definition as SERVER:NAME', names: 'targets' } },
  flags: { kind: kindFlag },
  examples: [
    { line: 'review undo files', meaning: 'Takes back the last decision about the server.' },
    { line: 'review undo files:read_file', meaning: 'Takes back the last decision about one tool.' },
  ],
  run: ({ args, flags, context }) => undoDecision(context, readDefinitionKey(args.which, flags.kind)),
});

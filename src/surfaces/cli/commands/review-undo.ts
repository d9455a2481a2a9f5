/** `toolcrib review undo`: takes back the last decision. */

import { defineCommand } from '../command.ts';
import { undoDecision } from '../decide.ts';
import { kindFlag, readDefinitionKey } from '../definition-key.ts';

export const reviewUndo = defineCommand({
  name: 'review undo',
  summary: 'Take back what you accepted or rejected last',
  description:
    'Agents see the definition that was approved before at once, and the one that you had accepted waits for you again. For a server, this takes back everything that was decided together last.',
  args: { which: { summary: 'A server, or one definition as SERVER:NAME' } },
  flags: { kind: kindFlag },
  examples: [
    { line: 'review undo files', meaning: 'Takes back the last decision about the server.' },
    { line: 'review undo files:read_file', meaning: 'Takes back the last decision about one tool.' },
  ],
  run: ({ args, flags, context }) => undoDecision(context, readDefinitionKey(args.which, flags.kind)),
});

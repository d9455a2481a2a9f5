/** `toolcrib review undo`: takes back what was accepted or rejected last. */

import { defineCommand } from '../command.ts';
import { undoDecision } from '../decide.ts';
import { kindFlag, readDefinitionKey } from '../definition-key.ts';

export const reviewUndo = defineCommand({
  name: 'review undo',
  summary: 'Take back what you accepted or rejected last',
  description:
    'What was approved before counts again, and agents see it at once; what you had accepted waits for you as before. Of a server, all that was decided together with the last decision is taken back.',
  args: { which: { summary: 'A server, or one thing of it as SERVER:NAME' } },
  flags: { kind: kindFlag },
  examples: [
    { line: 'review undo files', meaning: 'Takes back the last decision about the server.' },
    { line: 'review undo files:read_file', meaning: 'Takes back the last decision about one tool.' },
  ],
  run: ({ args, flags, context }) => undoDecision(context, readDefinitionKey(args.which, flags.kind)),
});

/** `toolcrib review reject`: keeps the definitions that were approved before. */

import { defineCommand, olderName } from '../command.ts';
import { rejectDefinitions } from '../decide.ts';
import { kindFlag, readDefinitionKey } from '../definition-key.ts';

export const reviewReject = defineCommand({
  name: 'review reject',
  summary: 'Reject definitions that are new or changed',
  description:
    'They stay as they were approved and cannot be called. You are asked again only after the server changes them once more.',
  args: { which: { summary: 'A server, or one definition as SERVER:NAME' } },
  flags: { kind: kindFlag },
  examples: [
    { line: 'review reject files:read_file', meaning: 'It no longer waits; "toolcrib review undo" takes that back.' },
  ],
  run: ({ args, flags, context }) => rejectDefinitions(context, readDefinitionKey(args.which, flags.kind)),
});

export const reject = olderName('reject', reviewReject);

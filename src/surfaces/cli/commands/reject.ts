/** `toolcrib reject`: keeps what was approved. */

import { defineCommand } from '../command.ts';
import { decideBy } from '../decide.ts';
import { kindFlag, readDefinitionKey } from '../definition-key.ts';

export const reject = defineCommand({
  name: 'reject',
  summary: 'Refuse definitions that changed or are new',
  description:
    'They stay as they were approved and cannot be called; you are not asked again until the server changes them once more.',
  args: { which: { summary: 'A server, or one thing of it as SERVER:NAME' } },
  flags: { kind: kindFlag },
  examples: [
    {
      line: 'reject files:read_file',
      meaning: 'The change is no longer listed as waiting; "toolcrib approve" undoes it.',
    },
  ],
  run: ({ args, flags, context }) => decideBy(context, 'changes.reject', readDefinitionKey(args.which, flags.kind)),
});

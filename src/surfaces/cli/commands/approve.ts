/** `toolcrib approve`: accepts what a server offers now. */

import { defineCommand } from '../command.ts';
import { decideBy } from '../decide.ts';
import { kindFlag, readDefinitionKey } from '../definition-key.ts';

export const approve = defineCommand({
  name: 'approve',
  summary: 'Accept definitions that changed or are new',
  description:
    'Approves what "toolcrib changes" has shown you, and nothing else: what you were not shown, or what the server changed once more since then, is printed instead, and nothing is approved; run the command again once you have read it. What you rejected is approved only by its name.',
  args: { which: { summary: 'A server, or one thing of it as SERVER:NAME' } },
  flags: {
    kind: kindFlag,
    fingerprint: {
      summary: 'What is approved, by its whole fingerprint from "changes --json"; for programs',
      value: 'FINGERPRINT',
      isRepeatable: true,
    },
  },
  examples: [
    { line: 'approve files:read_file', meaning: 'Agents see the new definition at once and can call the tool again.' },
    { line: 'approve files', meaning: 'Everything of the server that waits and that you were shown.' },
  ],
  run: ({ args, flags, context }) =>
    decideBy(context, 'changes.approve', readDefinitionKey(args.which, flags.kind), flags.fingerprint),
});

/** `toolcrib review accept`: approves definitions as a server offers them now. */

import { defineCommand } from '../command.ts';
import { acceptDefinitions } from '../decide.ts';
import { kindFlag, readDefinitionKey } from '../definition-key.ts';

export const reviewAccept = defineCommand({
  name: 'review accept',
  summary: 'Accept definitions that are new or changed',
  description:
    'On a terminal it asks one question for each reason; a definition is accepted when you say yes to all of its reasons. Elsewhere it shows what it would accept, and accepts that when it runs again. It never accepts a definition that the server changed in between. Rejected definitions are accepted by their names only.',
  args: { which: { summary: 'A server, or one definition as SERVER:NAME' } },
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

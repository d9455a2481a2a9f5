/** `toolcrib token list`: all tokens with their rights and last use. */

import { defineCommand } from '../command.ts';
import { renderTokens } from '../render-token.ts';
import { withAdmin } from '../with-admin.ts';

export const tokenList = defineCommand({
  name: 'token list',
  summary: 'List the tokens with what they may do and when they were last used',
  description: 'The tokens themselves are not shown: they are not known any more.',
  flags: { all: { summary: 'Also those that were revoked or have expired' } },
  examples: [
    { line: 'token list', meaning: 'Everybody who can come in.' },
    { line: 'token list --all --json', meaning: 'Also who could before, for programs.' },
  ],
  async run({ flags, context }) {
    const rows = await withAdmin(context, ({ admin }) => admin.run('tokens.list', { ended: flags.all }));
    return { data: rows, text: renderTokens(rows, context) };
  },
});

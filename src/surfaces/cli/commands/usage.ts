/** `toolcrib usage`: what was called after what, and what came of searches and suggestions. */

import { defineCommand } from '../command.ts';
import { renderUsage } from '../render-usage.ts';
import { withAdmin } from '../with-admin.ts';

export const usage = defineCommand({
  name: 'usage',
  summary: 'Show which tools are used, which fail, and which follow which',
  description:
    'Covers all agents and projects: the most used tools, those that fail, habits ("after this, usually that"), the tools called after each search, and how suggested alternatives did.',
  flags: {
    limit: {
      value: 'N',
      number: { least: 1, most: 100 },
      summary: 'The most lines of each kind',
      default: '10',
    },
  },
  examples: [
    { line: 'usage', meaning: 'An overview.' },
    { line: 'usage --limit 3 --json', meaning: 'The first three of each kind, for programs.' },
  ],
  async run({ flags, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('usage.overview', { limit: flags.limit }));
    return { data, text: renderUsage(data, context) };
  },
});

/** `toolcrib usage`: what was called after what, and what came of searches and suggestions. */

import { defineCommand } from '../command.ts';
import { renderUsage } from '../render-usage.ts';
import { withAdmin } from '../with-admin.ts';

export const usage = defineCommand({
  name: 'usage',
  summary: 'What is used, what fails, and what was called after what',
  description:
    'What agents did on this machine, in all projects: the most used tools, those that fail, habits ("after this, usually that"), which tool was called after which search, and whether suggested alternatives were taken and worked.',
  flags: {
    limit: {
      value: 'N',
      number: { least: 1, most: 100 },
      summary: 'At most so many lines of each kind',
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

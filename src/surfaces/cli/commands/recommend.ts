/** `toolcrib recommend`: the few tools that fit a task best, each with the reason. */

import type { OutputOf } from '../../../admin/admin.ts';
import { isObject } from '../../../base/json.ts';
import { printable } from '../../../base/text.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { readNeed } from '../read-need.ts';
import { renderHit, renderRemarks } from '../render-hit.ts';
import { withTools } from '../with-tools.ts';

const modes = ['semantic', 'hybrid', 'llm'] as const;

export const recommendCommand = defineCommand({
  name: 'recommend',
  summary: 'Recommend a few tools for a task, with reasons',
  args: { task: { summary: 'The task, in plain words', isVariadic: true } },
  flags: {
    limit: { value: 'N', number: { least: 1, most: 20 }, summary: 'The most tools to show', default: '3' },
    mode: { value: 'MODE', choices: modes, summary: 'How to search', default: 'as the config says' },
  },
  examples: [
    { line: 'recommend file a bug about the login page', meaning: 'Up to three tools, and why these.' },
    { line: 'recommend plan a trip --mode llm --limit 5', meaning: 'Five, ranked by the model of the config.' },
  ],
  async run({ args, flags, context }) {
    const found = await withTools(context, undefined, (admin) =>
      admin.run('tools.recommend', {
        task: readNeed(args.task),
        limit: flags.limit,
        // The command line takes no other.
        mode: flags.mode as (typeof modes)[number] | undefined,
      }),
    );
    return { data: found, text: render(found, context) };
  },
});

function render(found: OutputOf<'tools.recommend'>, { style }: CommandContext): string {
  const tools = Array.isArray(found.recommendations) ? found.recommendations.filter(isObject) : [];
  const hits = tools.map((tool) => renderHit(tool, printable(`why: ${tool.reason}`), style));
  return [...hits, ...renderRemarks(found.metadata, style)].join('\n');
}

/** `toolcrib search`: finds tools by what is needed, as an agent would. */

import type { OutputOf } from '../../../admin/admin.ts';
import { isObject } from '../../../base/json.ts';
import { printable } from '../../../base/text.ts';
import { checkCategory } from '../check-category.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { withTools } from '../with-tools.ts';

export const search = defineCommand({
  name: 'search',
  summary: 'Find tools by what is needed',
  args: { words: { summary: 'What you need, in plain words', isVariadic: true } },
  flags: {
    limit: { value: 'N', number: { least: 1, most: 100 }, summary: 'At most so many tools', default: '10' },
    server: { value: 'NAME', summary: 'Only tools of this server' },
    category: { value: 'NAME', summary: 'Only tools of this category' },
    explain: { summary: 'Say which words were found' },
  },
  examples: [
    { line: 'search create an issue', meaning: 'The tools an agent would be offered for this, best first.' },
    { line: 'search read a file --limit 3 --explain', meaning: 'The first three, and why.' },
  ],
  async run({ args, flags, context }) {
    await checkCategory(flags.category);
    const found = await withTools(context, flags.server, (admin) =>
      admin.run('tools.search', {
        query: [args.words.join(' ')],
        limit: flags.limit,
        detailLevel: flags.explain ? 'full' : 'summary',
        server: flags.server,
        category: flags.category,
      }),
    );
    return { data: found, text: render(found, context) };
  },
});

function render(found: OutputOf<'tools.search'>, { style }: CommandContext): string {
  const tools = Array.isArray(found.tools) ? found.tools.filter(isObject) : [];
  if (tools.length === 0) return 'No tool was found. Other words may help; "toolcrib tools" lists all.';
  return tools.map((tool) => renderHit(tool, style)).join('\n');
}

function renderHit(tool: Record<string, unknown>, style: CommandContext['style']): string {
  const share = typeof tool.relevance === 'number' ? `${Math.round(tool.relevance * 100)} %` : '';
  const lines = [
    `${style.strong(printable(String(tool.toolKey)))}  ${style.faint(share)}`,
    `    ${firstLine(tool.description)}`,
  ];
  if (typeof tool.parameters === 'string' && tool.parameters !== '')
    lines.push(style.faint(`    takes: ${printable(tool.parameters)}`));
  const words = isObject(tool.explanation) ? tool.explanation.matchedWords : undefined;
  if (Array.isArray(words)) lines.push(style.faint(`    found: ${printable(words.join(', ')) || 'nothing'}`));
  return lines.filter((line) => line.trim() !== '').join('\n');
}

function firstLine(description: unknown): string {
  const text = typeof description === 'string' ? description.trim() : '';
  return printable(text.split('\n', 1)[0] ?? '');
}

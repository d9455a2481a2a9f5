/** The commands that find tools: `search` as an agent would, `recommend` a few with reasons. */

import type { InputOf, OutputOf } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import { printable } from '../../../base/text.ts';
import { checkCategory } from '../check-category.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { showProgress } from '../progress.ts';
import { renderHit, renderRemarks } from '../render-hit.ts';
import { withTools } from '../with-tools.ts';

const modes = ['bm25', 'semantic', 'hybrid', 'llm', 'cloud'] as const;

export const search = defineCommand({
  name: 'search',
  summary: 'Find tools for a task',
  args: { words: { summary: 'The task, in plain words', isVariadic: true } },
  flags: {
    limit: { value: 'N', number: { least: 1, most: 100 }, summary: 'The most tools to show', default: '10' },
    mode: { value: 'MODE', choices: modes, summary: 'How to search', default: 'as the config says' },
    server: { value: 'NAME', names: 'servers', summary: 'Only tools of this server' },
    category: { value: 'NAME', summary: 'Only tools of this category' },
    explain: { summary: 'Explain the rank of each tool' },
  },
  examples: [
    { line: 'search create an issue', meaning: 'The tools an agent would be offered for this, best first.' },
    { line: 'search read a file --limit 3 --explain', meaning: 'The first three, and why.' },
    { line: 'search make a note --mode bm25', meaning: 'By words alone.' },
  ],
  async run({ args, flags, context }) {
    await checkCategory(flags.category);
    const input: InputOf<'tools.search'> = {
      query: [readNeed(args.words)],
      limit: flags.limit,
      detailLevel: flags.explain ? 'full' : 'summary',
      server: flags.server,
      category: flags.category,
      // The command line takes no other.
      mode: flags.mode as (typeof modes)[number] | undefined,
    };
    const found = await withTools(context, flags.server, (admin) =>
      showProgress(context.notes, 'Searching', () => admin.run('tools.search', input)),
    );
    const { signatureOf } = await import('../../../arguments/arguments.ts');
    return { data: found, text: render(found, signatureOf, context) };
  },
});

type Signature = (inputSchema: unknown) => string;

function render(found: OutputOf<'tools.search'>, signatureOf: Signature, { style }: CommandContext): string {
  const tools = Array.isArray(found.tools) ? found.tools.filter(isObject) : [];
  const hits = tools.map((tool) => {
    // In full detail a tool comes with its schema, which would fill the screen.
    const parameters = tool.parameters ?? signatureOf(tool.inputSchema);
    return renderHit({ ...tool, parameters }, explainHit(tool.explanation), style);
  });
  return [...hits, ...renderRemarks(found.metadata, style)].join('\n');
}

/** `score 0.93: words 1.00 (create, issue; like: ticket; 80 % of the query), meaning 0.61, usage +0.05`; empty where nothing is known. */
export function explainHit(explanation: unknown): string {
  // Another service that found the tool gives its reason as a text.
  if (typeof explanation === 'string') return printable(explanation);
  if (!isObject(explanation)) return '';
  const { score, isNamed, lexical, meaning, usage } = explanation;
  const parts: string[] = isNamed === true ? ['the query is its name'] : [];
  if (typeof lexical === 'number') parts.push(`words ${decimals(lexical)} (${matchesIn(explanation)})`);
  if (typeof meaning === 'number') parts.push(`meaning ${decimals(meaning)}`);
  if (isObject(usage) && typeof usage.boost === 'number')
    parts.push(`usage ${usage.boost < 0 ? '' : '+'}${decimals(usage.boost)}`);
  return printable(`score ${decimals(Number(score))}: ${parts.join(', ') || 'nothing was compared here'}`);
}

/** The words that the tool has, then those that a synonym or a guess stands for, then how much of the query they make up. */
function matchesIn({ words, similar, coverage }: Record<string, unknown>): string {
  const literal = Array.isArray(words) ? words.join(', ') : '';
  const guessed = Array.isArray(similar) && similar.length > 0 ? `like: ${similar.join(', ')}` : '';
  const share = typeof coverage === 'number' ? `${Math.round(coverage * 100)} % of the query` : '';
  const matched = [literal, guessed].filter((part) => part !== '').join('; ') || 'none';
  return share === '' ? matched : `${matched}; ${share}`;
}

function decimals(value: number): string {
  return value.toFixed(2);
}

const recommendModes = ['semantic', 'hybrid', 'llm'] as const;

export const recommendCommand = defineCommand({
  name: 'recommend',
  summary: 'Recommend a few tools for a task, with reasons',
  args: { task: { summary: 'The task, in plain words', isVariadic: true } },
  flags: {
    limit: { value: 'N', number: { least: 1, most: 20 }, summary: 'The most tools to show', default: '3' },
    mode: { value: 'MODE', choices: recommendModes, summary: 'How to search', default: 'as the config says' },
  },
  examples: [
    { line: 'recommend file a bug about the login page', meaning: 'Up to three tools, and why these.' },
    { line: 'recommend plan a trip --mode llm --limit 5', meaning: 'Five, ranked by the model of the config.' },
  ],
  async run({ args, flags, context }) {
    const input: InputOf<'tools.recommend'> = {
      task: readNeed(args.task),
      limit: flags.limit,
      // The command line takes no other.
      mode: flags.mode as (typeof recommendModes)[number] | undefined,
    };
    const found = await withTools(context, undefined, (admin) =>
      showProgress(context.notes, 'Searching', () => admin.run('tools.recommend', input)),
    );
    return { data: found, text: renderRecommended(found, context) };
  },
});

function renderRecommended(found: OutputOf<'tools.recommend'>, { style }: CommandContext): string {
  const tools = Array.isArray(found.recommendations) ? found.recommendations.filter(isObject) : [];
  const hits = tools.map((tool) => renderHit(tool, printable(`why: ${tool.reason}`), style));
  return [...hits, ...renderRemarks(found.metadata, style)].join('\n');
}

/** Throws USAGE where the words are blank. */
function readNeed(words: readonly string[]): string {
  const need = words.join(' ').trim();
  if (need !== '') return need;
  throw new GatewayError('USAGE', 'The task is empty.', { hint: 'Describe the task in plain words.' });
}

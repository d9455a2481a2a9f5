/** `toolcrib call`: calls a tool by hand. */

import type { InputOf } from '../../../admin/admin.ts';
import { GatewayError, messageOf } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import { printable } from '../../../base/text.ts';
import { type CommandOutcome, defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { parseWrittenJson } from '../read-json.ts';
import { renderResult, splitAdvice } from '../render-result.ts';
import { serverOf } from '../tool-key.ts';
import { visibleLine } from '../visible.ts';
import { withTools } from '../with-tools.ts';

export const call = defineCommand({
  name: 'call',
  summary: 'Call a tool and print its answer',
  isVerbatim: true,
  description:
    'Give the arguments as one JSON object or as key=value pairs. The schema of the tool decides how a value is read: as a number, true or false, or, for lists and objects, as JSON.',
  args: {
    tool: { summary: 'The tool, as SERVER:TOOL' },
    arguments: { summary: 'A JSON object, or key=value pairs', isVariadic: true, isOptional: true },
  },
  flags: { yes: { summary: 'Approve the call if the tool needs approval' } },
  examples: [
    { line: 'call files:read_file path=README.md', meaning: 'One argument as a pair.' },
    { line: `call files:read_file '{"path":"README.md"}'`, meaning: 'The same as JSON.' },
    { line: 'call github:list_issues repo=toolcrib limit=5 --json', meaning: 'The whole result, for programs.' },
  ],
  async run({ args, flags, context }) {
    try {
      const given = await readGiven(args.arguments);
      const result = await withTools(context, serverOf(args.tool), (admin) =>
        admin.run('tools.call', { toolKey: args.tool, ...given, approve: flags.yes }),
      );
      return outcomeOf(args.tool, result);
    } catch (error) {
      const remarks = error instanceof GatewayError ? renderSuggestions(error.data?.fallbackSuggestions) : '';
      if (!(error instanceof GatewayError) || remarks === '') throw error;
      return { trouble: error, remarks };
    }
  },
});

function outcomeOf(tool: string, result: Readonly<Record<string, unknown>>): CommandOutcome {
  const { suggestions, remark } = splitAdvice(result);
  const remarks = [remark, renderSuggestions(suggestions)].filter((part) => part !== '').join('\n');
  const outcome = { data: result, text: renderResult(result), ...(remarks === '' ? {} : { remarks }) };
  if (result.isError !== true) return outcome;
  const data = suggestions.length === 0 ? undefined : { fallbackSuggestions: suggestions };
  const trouble = new GatewayError('TOOL_FAILED', `The tool "${visibleLine(tool)}" reports an error.`, { data });
  return { ...outcome, trouble, exitCode: exitCodes.failed };
}

/** Pairs are read where the schema of the tool is. */
async function readGiven(words: readonly string[]): Promise<Pick<InputOf<'tools.call'>, 'arguments' | 'pairs'>> {
  const [first] = words;
  if (first === undefined) return {};
  return first.trimStart().startsWith('{') ? { arguments: await readObject(words) } : { pairs: [...words] };
}

async function readObject(words: readonly string[]): Promise<Record<string, unknown>> {
  if (words.length > 1) throw new GatewayError('USAGE', 'Give one JSON object or key=value pairs, not both.');
  try {
    const value = await parseWrittenJson('arguments', words[0] ?? '');
    if (isObject(value)) return value;
  } catch (error) {
    throw new GatewayError('USAGE', `The arguments are not valid JSON. ${messageOf(error)}`, {
      hint: `Put single quotes around it: '{"key":"value"}'`,
      cause: error,
    });
  }
  throw new GatewayError('USAGE', 'The arguments must be a JSON object.');
}

/** Empty where there are none. The suggestions come from outside, so each member is looked at. */
export function renderSuggestions(suggestions: unknown): string {
  const lines = (Array.isArray(suggestions) ? suggestions : [])
    .filter(isObject)
    .map(({ toolKey, reason }) => `  ${visibleLine(String(toolKey))}  ${printable(String(reason ?? ''))}`.trimEnd());
  return lines.length === 0 ? '' : ['Other tools to try:', ...lines].join('\n');
}

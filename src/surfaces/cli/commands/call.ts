/** `toolcrib call`: calls a tool by hand. */

import { GatewayError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import { printable } from '../../../base/text.ts';
import { visibleLine } from '../../../base/visible.ts';
import { readCallArguments } from '../call-arguments.ts';
import { type CommandOutcome, defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { showCallProgress } from '../progress.ts';
import { renderResult, splitAdvice } from '../render-result.ts';
import { binaryContentOf, checkSavable, remarkUnsaved, saveContent } from '../save-content.ts';
import { serverOf } from '../tool-key.ts';
import { withTools } from '../with-tools.ts';

export const call = defineCommand({
  name: 'call',
  summary: 'Call a tool and print its answer',
  isVerbatim: true,
  description:
    'Give the arguments as one JSON object or as key=value pairs. The schema of the tool decides how a value is read: as a number, true or false, or, for lists and objects, as JSON. @FILE reads the object from a file and - from stdin; key=@FILE reads one value (key=@@text: a text that begins with @).',
  args: {
    tool: { summary: 'The tool, as SERVER:TOOL', names: 'tools' },
    arguments: {
      summary: 'A JSON object, key=value pairs, @FILE, or - for stdin',
      isVariadic: true,
      isOptional: true,
    },
  },
  flags: {
    yes: { summary: 'Approve the call if the tool needs approval' },
    save: { value: 'FILE', summary: 'Save an image or other binary content of the answer to this file' },
  },
  examples: [
    { line: 'call files:read_file path=README.md', meaning: 'One argument as a pair.' },
    { line: `call files:read_file '{"path":"README.md"}'`, meaning: 'The same as JSON.' },
    { line: 'call files:write_file path=notes.md content=@draft.md', meaning: 'A value from a file.' },
    { line: 'call browser:screenshot --save page.png', meaning: 'Keeps the image.' },
    { line: 'call github:list_issues repo=toolcrib limit=5 --json', meaning: 'The whole result, for programs.' },
  ],
  async run({ args, flags, context }) {
    try {
      const given = await readCallArguments(args.arguments, context);
      if (flags.save !== undefined) await checkSavable(flags.save, context.host.cwd);
      const input = { toolKey: args.tool, ...given, approve: flags.yes };
      const result = await withTools(context, serverOf(args.tool), (admin) =>
        showCallProgress(context, `Calling ${visibleLine(args.tool)}`, (onProgress) =>
          admin.run('tools.call', input, undefined, onProgress),
        ),
      );
      return await outcomeOf(args.tool, result, flags.save, context);
    } catch (error) {
      const remarks = error instanceof GatewayError ? renderSuggestions(error.data?.fallbackSuggestions) : '';
      if (!(error instanceof GatewayError) || remarks === '') throw error;
      return { trouble: error, remarks };
    }
  },
});

async function outcomeOf(
  tool: string,
  result: Readonly<Record<string, unknown>>,
  file: string | undefined,
  { host }: CommandContext,
): Promise<CommandOutcome> {
  const { suggestions, remark } = splitAdvice(result);
  const contents = binaryContentOf(result);
  const saved = file === undefined ? { remark: remarkUnsaved(contents) } : await saveContent(contents, file, host.cwd);
  const remarks = [remark, renderSuggestions(suggestions), saved.remark].filter((part) => part !== '').join('\n');
  const outcome = { data: result, text: renderResult(result), ...(remarks === '' ? {} : { remarks }) };
  if (result.isError !== true) return { ...outcome, trouble: saved.trouble };
  const data = suggestions.length === 0 ? undefined : { fallbackSuggestions: suggestions };
  const trouble = new GatewayError('TOOL_FAILED', `The tool "${visibleLine(tool)}" reports an error.`, { data });
  return { ...outcome, trouble, exitCode: exitCodes.failed };
}

/** Empty where there are none. The suggestions come from outside, so each member is looked at. */
export function renderSuggestions(suggestions: unknown): string {
  const lines = (Array.isArray(suggestions) ? suggestions : [])
    .filter(isObject)
    .map(({ toolKey, reason }) => `  ${visibleLine(String(toolKey))}  ${printable(String(reason ?? ''))}`.trimEnd());
  return lines.length === 0 ? '' : ['Other tools to try:', ...lines].join('\n');
}

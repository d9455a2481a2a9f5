/** `toolcrib chain`: runs a program that calls tools, as an agent would. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { type ErrorCode, errorCodes, GatewayError, systemCodeOf } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import { printable } from '../../../base/text.ts';
import { defineCommand, type Outcome } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { renderChain, renderChainCourse } from '../render-chain.ts';
import { withTools } from '../with-tools.ts';

export const chain = defineCommand({
  name: 'chain',
  summary: 'Run a program that calls tools',
  description:
    'The program is JavaScript or TypeScript: await servers.NAME.TOOL({…}), search("…"), info("server:tool"), console.log, and return what is to be printed. It runs in a sandbox, within the limits under "chains" in the config. Its log and its calls go to stderr.',
  args: { file: { summary: 'The file with the program, or - for stdin' } },
  flags: {
    timeout: {
      value: 'MS',
      number: { least: 1, most: 2_147_483_647 },
      summary: 'Time for the program',
      default: 'as the config says',
    },
  },
  examples: [
    { line: 'chain report.js', meaning: 'Runs the program in the file.' },
    { line: 'chain - --json', meaning: 'One from stdin; result, logs and calls as JSON.' },
  ],
  async run({ args, flags, context }) {
    const code = await readCode(args.file, context);
    const outcome = await withTools(context, undefined, (admin) =>
      admin.run('tools.chain', { code, timeoutMs: flags.timeout }, context.host.signal),
    );
    return outcomeOf(outcome, context);
  },
});

function outcomeOf(data: Readonly<Record<string, unknown>>, context: CommandContext): Outcome {
  const remarks = renderChainCourse(data, context);
  const said = remarks === '' ? {} : { remarks };
  if (!isObject(data.error)) return { data, text: renderChain(data), ...said };
  const { code, message, hint } = data.error;
  const trouble = new GatewayError(codeOf(code), String(message), {
    hint: typeof hint === 'string' ? hint : undefined,
    data: { line: data.line, excerpt: data.excerpt },
  });
  return { data, trouble, ...said };
}

function codeOf(code: unknown): ErrorCode {
  return errorCodes.find((item) => item === code) ?? 'TOOL_FAILED';
}

async function readCode(file: string, { host }: CommandContext): Promise<string> {
  if (file === '-') return readAll(process.stdin);
  try {
    return await readFile(resolve(host.cwd, file), 'utf8');
  } catch (error) {
    const why = systemCodeOf(error) === 'ENOENT' ? 'There is no such file' : 'It cannot be read';
    throw new GatewayError('USAGE', `${why}: ${printable(file)}`, { cause: error });
  }
}

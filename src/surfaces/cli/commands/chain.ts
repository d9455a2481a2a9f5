/** `toolcrib chain`: runs a program that calls tools, as an agent would. */

import type { Admin } from '../../../admin/admin.ts';
import { type ErrorCode, errorCodes, GatewayError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json.ts';
import { type CommandOutcome, defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { showCallProgress } from '../progress.ts';
import { readTextFile } from '../read-file.ts';
import { renderChain, renderChainCourse } from '../render-chain.ts';
import { withTools } from '../with-tools.ts';

type Data = Readonly<Record<string, unknown>>;

export const chain = defineCommand({
  name: 'chain',
  summary: 'Run a program that calls tools',
  isVerbatim: true,
  description:
    'Write JavaScript or TypeScript: await servers.NAME.TOOL({…}) or call("server:tool", {…}), and return the value to print. There are also search("…"), info("server:tool"), types("server"), keep(value, "name"), load(address), sleep(ms) and console.log; see docs/guides/chains.md. The program runs in a sandbox, within the limits under "chains" in the config. Its whole result goes to stdout, its log and its calls to stderr.',
  args: { file: { summary: 'The file with the program, or - for stdin' } },
  flags: {
    timeout: {
      value: 'MS',
      number: { least: 1, most: 2_147_483_647 },
      summary: 'The time limit, at most the one in the config',
      default: 'as the config says',
    },
  },
  examples: [
    { line: 'chain report.js', meaning: 'Runs the program in the file.' },
    { line: 'chain - --json', meaning: 'One from stdin; result, logs and calls as JSON.' },
  ],
  async run({ args, flags, context }) {
    const code = await readTextFile(args.file, context);
    const { signal } = context.host;
    let done: Data | undefined;
    const running = async (admin: Admin) => {
      try {
        return await showCallProgress(context, 'Running the program', (onProgress) =>
          admin.run('tools.chain', { code, timeoutMs: flags.timeout }, signal, onProgress),
        );
      } catch (error) {
        done = error instanceof GatewayError ? error.data : undefined;
        throw error;
      }
    };
    try {
      return outcomeOf(await withTools(context, undefined, running), context);
    } catch (error) {
      // Print what a stopped program did before.
      if (!signal.aborted || done === undefined) throw error;
      return { trouble: signal.reason, ...remarksOf(done, context) };
    }
  },
});

function outcomeOf(data: Data, context: CommandContext): CommandOutcome {
  const said = remarksOf(data, context);
  if (!isObject(data.error)) return { data, text: renderChain(data), ...said };
  const { code, message, hint } = data.error;
  const { line, column, excerpt, logs, calls, kept, notes } = data;
  const trouble = new GatewayError(codeOf(code), String(message), {
    hint: typeof hint === 'string' ? hint : undefined,
    data: { line, column, excerpt, logs, calls, kept, notes },
  });
  return { trouble, ...said };
}

function remarksOf(data: Data, context: CommandContext): Pick<CommandOutcome, 'remarks'> {
  const remarks = renderChainCourse(data, context);
  return remarks === '' ? {} : { remarks };
}

function codeOf(code: unknown): ErrorCode {
  return errorCodes.find((item) => item === code) ?? 'TOOL_FAILED';
}

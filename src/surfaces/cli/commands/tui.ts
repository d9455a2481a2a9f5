/** `toolcrib tui`: the running gateway, live in this terminal. */

import type { Admin } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { pinYoungSpace } from '../../../base/own-program.ts';
import { type CommandOutcome, defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { runningAdmin } from '../running-admin.ts';

export const tui = defineCommand({
  name: 'tui',
  summary: 'Show the running gateway live in the terminal',
  description:
    'Servers, tools, activity, reviews and the optimizer, by keys: "?" shows them, Ctrl-K finds every command, "q" quits. The gateway goes on running.',
  examples: [{ line: 'tui', meaning: 'Beside an agent, or over ssh.' }],
  async run({ context }): Promise<CommandOutcome> {
    checkTerminal(context);
    if ((await runningAdmin(context)) === undefined)
      throw new GatewayError('UNREACHABLE', 'No gateway is running.', { hint: 'Start one here: toolcrib start --tui' });
    pinYoungSpace();
    const showTui = await loadTui(context);
    await showTui(() => runningAdmin(context));
    return { exitCode: exitCodes.ok };
  },
});

/** Before anything is started for it. */
export function checkTerminal({ host: { stdin, stdout, env } }: CommandContext): void {
  if (!stdin.isTTY || !stdout.isTTY || env.TERM === 'dumb')
    throw new GatewayError('USAGE', 'This needs a terminal that can move its cursor.', {
      hint: 'The same over pipes: toolcrib status, toolcrib audit --follow',
    });
}

/** Loaded here alone: no other command pays for it. Shows the gateway until somebody quits or the process is asked to end. */
export async function loadTui({
  host,
}: CommandContext): Promise<(find: FindAdmin, signal?: AbortSignal) => Promise<void>> {
  const { NODE_ENV: before } = process.env;
  // React reads it while it is loaded: its other build looks for mistakes in components.
  process.env.NODE_ENV = 'production';
  try {
    const { runTui } = await import('../../tui/tui.ts');
    return (find, signal = host.signal) => runTui({ ...host, stdout: process.stdout, find, signal });
  } finally {
    // Servers that are started later get the environment as it was.
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

type FindAdmin = () => Promise<Admin | undefined>;

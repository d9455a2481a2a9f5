/** Asks before a loss that cannot be undone: on a terminal only, because a script has nobody to answer. */

import { createInterface } from 'node:readline';
import { GatewayError } from '../../base/errors.ts';
import type { CommandContext } from './context.ts';

/** Declared by each command that asks. */
export const yesFlag = { summary: 'Skip the confirmation' };

/** Files that came with a project can run any program, so that --yes alone does not take their servers. */
export const projectFlag = { summary: 'With --yes: also servers that are only in files of this project' };

/** A file decides with such a variable what is run under the name of a harmless command. */
export const allowEnvFlag = { summary: 'Allow variables that change which code runs, such as PATH or NODE_OPTIONS' };

/** Throws CANCELLED unless the person says yes, or `isYes` says it for them. */
export async function confirm(context: CommandContext, question: string, isYes: boolean): Promise<void> {
  if (isYes || !canAsk(context)) return;
  const answer = await askPerson(context, `${question} It cannot be undone. [y/N] `);
  if (/^y(es)?$/i.test(answer)) return;
  throw new GatewayError('CANCELLED', 'Nothing was changed.', { hint: 'Answer "y", or use --yes.' });
}

/** True where a person can answer: not for programs and pipes. */
export function canAsk({ host, isJson }: CommandContext): boolean {
  return !isJson && host.stdout.isTTY === true && host.stdin.isTTY === true;
}

/** The answer without spaces around it; empty where the input ends. */
export async function askPerson({ host }: CommandContext, question: string): Promise<string> {
  const { stdin, stdout, signal } = host;
  stdout.write(question);
  const lines = createInterface({ input: stdin, terminal: false, signal });
  try {
    for await (const line of lines) return line.trim();
    signal.throwIfAborted();
    return '';
  } finally {
    lines.close();
    // A terminal that is still being read would keep the process from ending.
    stdin.pause();
  }
}

/** A question to the person at the terminal. */

import { createInterface } from 'node:readline';
import type { CommandContext } from './context.ts';

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

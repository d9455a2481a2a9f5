/** `toolcrib logs`: what the gateway wrote to its log, and what it writes from now on. */

import { setTimeout as pause } from 'node:timers/promises';
import { localSecondOf } from '../../../base/amounts.ts';
import { isObject, parseJson } from '../../../base/json.ts';
import { logLine } from '../../../base/log.ts';
import { printable } from '../../../base/text.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { LogTail } from '../log-tail.ts';
import { writeText } from '../print.ts';

const usualLines = 100;
const lookEveryMs = 200;

export const logs = defineCommand({
  name: 'logs',
  summary: 'Show the log of the gateway',
  isVerbatim: true,
  description:
    'Every gateway writes gateway.log in its data folder, in the foreground and in the background. At 5 MB the file becomes gateway.log.1, and the one before it is deleted. With --json, each line is one JSON object as it was written.',
  flags: {
    follow: { short: 'f', summary: 'Keep printing new lines until you stop it, also across restarts of the gateway' },
    lines: {
      short: 'n',
      value: 'N',
      number: { least: 0, most: 1_000_000 },
      summary: 'How many of the last lines to print',
      default: String(usualLines),
    },
  },
  examples: [
    { line: 'logs', meaning: `The last ${usualLines} lines.` },
    { line: 'logs -f --lines 0', meaning: 'New lines as they come.' },
  ],
  async run({ flags, context }) {
    const tail = new LogTail(context.dataDir);
    const lines = await tail.last(flags.lines ?? usualLines);
    for (const line of lines) print(context, line);
    if (flags.follow) await follow(context, tail);
    else if (!tail.isThere) return { remarks: `There is no log yet at ${tail.file}.` };
    return { exitCode: exitCodes.ok };
  },
});

/** Until the process is asked to end. */
async function follow(context: CommandContext, tail: LogTail): Promise<void> {
  const { signal } = context.host;
  if (!tail.isThere) writeText(context.notes, `note: there is no log yet at ${tail.file}; waiting for one.`);
  try {
    for (;;) {
      await pause(lookEveryMs, undefined, { signal });
      for (const line of await tail.next()) print(context, line);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function print({ host, isJson }: CommandContext, line: string): void {
  writeText(host.stdout, isJson ? printable(line) : renderLogLine(line));
}

/** For people, in their own time; a line that is none of ours stays as it is. */
export function renderLogLine(line: string): string {
  const entry = parseEntry(line);
  if (entry === undefined) return printable(line);
  const { time, level, event, ...fields } = entry;
  return `${localSecondOf(String(time))}  ${logLine(String(level), String(event), fields)}`;
}

function parseEntry(line: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(line);
    return isObject(value) && !Number.isNaN(Date.parse(String(value.time))) ? value : undefined;
  } catch {
    return undefined;
  }
}

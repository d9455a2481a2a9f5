/** The log of a gateway that listens: in a file of the data folder, and on stderr where somebody reads that. */

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { createLog, joinLogs, type Log, type LogLevel, ownLogLevels } from '../../base/log.ts';
import type { CommandContext } from './context.ts';

export const logFileName = 'gateway.log';
/** The event that says why a gateway in the background did not come up. */
export const startFailed = 'The gateway could not start';

export interface StartLogOptions {
  /** True: stderr is nobody's, or belongs to the terminal UI. */
  readonly isQuiet: boolean;
  readonly level: string | undefined;
  readonly isJson: boolean;
}

export interface StartLogs {
  /** For all that the gateway does. */
  readonly log: Log;
  /** The file alone, for what a person at the terminal hears otherwise. */
  readonly file: Log;
}

/** The file always has what one needs to look back: less on stderr is not less there. */
export function openStartLogs(context: CommandContext, options: StartLogOptions): StartLogs {
  const level: LogLevel = ownLogLevels.find((name) => name === options.level) ?? 'info';
  const file = createLog({
    level: level === 'debug' ? 'debug' : 'info',
    format: 'json',
    write: openLogFile(join(context.dataDir, logFileName)),
    now: Date.now,
  });
  if (options.isQuiet) return { log: file, file };
  const { stderr } = context.host;
  const format = options.isJson ? 'json' : 'line';
  const screen = createLog({ level, format, write: (line) => stderr.write(line), now: Date.now });
  return { log: joinLogs(screen, file), file };
}

/** In the background nobody reads stderr: the starter of the gateway looks for this line. */
export function logStartFailure(log: Log, error: unknown): void {
  const trouble = error instanceof GatewayError ? error : undefined;
  const fields = { code: trouble?.code ?? 'INTERNAL', reason: messageOf(error), hint: trouble?.hint };
  // Of several that are started at once one wins, and that is as it should be.
  if (trouble?.code === 'DATA_LOCKED') log.info(startFailed, fields);
  else log.error(startFailed, fields);
}

const maxLogFileBytes = 5 * 1_024 * 1_024;

/** Returns the function that writes a line. It never throws: a log that cannot be written must not stop the gateway. */
export function openLogFile(file: string, maxBytes = maxLogFileBytes): (line: string) => void {
  let size = sizeOf(file);
  return (line) => {
    try {
      if (size === undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const bytes = Buffer.byteLength(line);
      if ((size ?? 0) > 0 && (size ?? 0) + bytes > maxBytes) {
        renameSync(file, `${file}.1`);
        size = 0;
      }
      appendFileSync(file, line, { mode: 0o600 });
      size = (size ?? 0) + bytes;
    } catch {
      // There is nowhere left to say so.
    }
  };
}

/** Undefined while there is no such file. */
function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

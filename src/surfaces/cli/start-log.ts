/** The log of a gateway that listens: on stderr for people, in a file of the data folder when it is in the background. */

import { join } from 'node:path';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { createLog, type Log, type LogLevel, logLevels } from '../../base/log.ts';
import type { CommandContext } from './context.ts';
import { openLogFile } from './log-file.ts';

export const logFileName = 'gateway.log';
/** The event that says why a gateway in the background did not come up. */
export const startFailed = 'The gateway could not start';

export interface StartLogOptions {
  readonly isBackground: boolean;
  readonly level: string | undefined;
  readonly isJson: boolean;
}

export function startLog(context: CommandContext, options: StartLogOptions): Log {
  const level: LogLevel = logLevels.find((name) => name === options.level) ?? 'info';
  const { stderr } = context.host;
  if (!options.isBackground) {
    const format = options.isJson ? 'json' : 'line';
    return createLog({ level, format, write: (line) => stderr.write(line), now: Date.now });
  }
  const write = openLogFile(join(context.dataDir, logFileName));
  return createLog({ level, format: 'json', write, now: Date.now });
}

/** In the background nobody reads stderr: whoever started the gateway looks for this line. */
export function logStartFailure(log: Log, error: unknown): void {
  const trouble = error instanceof GatewayError ? error : undefined;
  const fields = { code: trouble?.code ?? 'INTERNAL', reason: messageOf(error), hint: trouble?.hint };
  // Of several that are started at once one wins, and that is as it should be.
  if (trouble?.code === 'DATA_LOCKED') log.info(startFailed, fields);
  else log.error(startFailed, fields);
}

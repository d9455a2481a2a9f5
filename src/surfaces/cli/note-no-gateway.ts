/** One line for people where a command does without a gateway, and that makes its answer another one. */

import { GatewayError } from '../../base/errors.ts';
import type { CommandContext } from './context.ts';

/** `so` ends the sentence: what follows from it here. */
export function noteNoGateway({ dataDir }: Pick<CommandContext, 'dataDir'>, so: string): string {
  return `note: no gateway runs for the data folder ${dataDir}, so ${so}.`;
}

/** A server that is not known here may be one that was there for a run alone. */
export function noteUnknownServer(context: Pick<CommandContext, 'dataDir'>, error: unknown): string {
  if (!(error instanceof GatewayError) || error.code !== 'SERVER_NOT_FOUND' || error.data?.isSwitchedOff) return '';
  return noteNoGateway(context, 'the servers of "toolcrib start --demo" are missing');
}

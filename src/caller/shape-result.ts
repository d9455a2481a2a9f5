/** Stage: a result over the agent's limit becomes a header, a preview and a link; the rest is kept on the shelf. */

import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { limits } from '../config/config.ts';
import type { Result } from '../protocol/messages.ts';
import {
  cutResult,
  hasLongValues,
  isOver,
  loadLong,
  type ResultShelf,
  releaseLong,
  shapeResult,
} from '../results/results.ts';
import type { Call, Stage } from './call.ts';

export function shapeResults(shelf: ResultShelf, log: Log): Stage {
  return async (call, next) => {
    const result = await next(call);
    const { maxResultBytes } = call;
    if (maxResultBytes === null || result.resultType === 'input_required') return result;
    // What is left on the disk of a result that is not over are its pictures.
    if (!isOver(result, maxResultBytes))
      return hasLongValues(result) ? loadLong(result, limits.wholeMessageBytes) : result;
    try {
      return await shape(call, result, maxResultBytes, shelf, log);
    } finally {
      releaseLong(result);
    }
  };
}

async function shape(call: Call, result: Result, maxBytes: number, shelf: ResultShelf, log: Log): Promise<Result> {
  const options = {
    maxBytes,
    keepsStructured: call.keepsStructured,
    canExecute: call.reader === 'search',
    knowsLinks: call.agent.knowsLinks === true,
  };
  try {
    const kept = await shelf.keep(result, { principal: call.principal.id, toolKey: call.key });
    return await shapeResult(result, kept, options);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // The call was made: what there is of its result is worth more than an error.
    log.warn('A large result could not be kept.', { tool: call.key, error: messageOf(error) });
    return cutResult(result, messageOf(error), options);
  }
}

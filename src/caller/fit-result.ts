/** A result as its agent gets it: whole where it is within the limit, else a header, a preview and a link to what was kept. */

import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { limits } from '../config/config.ts';
import type { Result } from '../protocol/messages.ts';
import {
  cutResult,
  hasLongValues,
  isOver,
  loadLong,
  releaseLong,
  type ShapeOptions,
  type StoredResults,
  shapeResult,
} from '../results/results.ts';
import type { Stage } from './call.ts';
import type { Reader } from './recoveries.ts';

interface FitOptions {
  readonly principal: string;
  /** The tool that it is a result of. */
  readonly toolKey: string;
  readonly maxBytes: number;
  /** The agent needs the structured content whole. */
  readonly keepsStructured: boolean;
  /** The meta-tools that the agent has, to read on with. */
  readonly reader: Reader;
  /** The agent knows links to resources in results. */
  readonly knowsLinks: boolean;
  /** Told why the rest could not be kept. */
  readonly onUnkept?: ((reason: string) => void) | undefined;
}

export async function fitResult(result: Result, shelf: StoredResults, options: FitOptions): Promise<Result> {
  // Its parts on disk are within the limit too, or pictures.
  if (!isOver(result, options.maxBytes))
    return hasLongValues(result) ? loadLong(result, limits.wholeMessageBytes) : result;
  try {
    return await shape(result, shelf, options);
  } finally {
    releaseLong(result);
  }
}

async function shape(result: Result, shelf: StoredResults, options: FitOptions): Promise<Result> {
  const { principal, toolKey, onUnkept } = options;
  try {
    const kept = await shelf.keep(result, { principal, toolKey });
    return await shapeResult(result, kept, shapeOf(options));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // The call was made: what there is of its result is worth more than an error.
    onUnkept?.(messageOf(error));
    return cutResult(result, messageOf(error), shapeOf(options));
  }
}

function shapeOf(options: FitOptions): ShapeOptions {
  return { ...options, canExecute: options.reader === 'search', canProgram: options.reader === 'code' };
}

export function shapeResults(shelf: StoredResults, log: Log): Stage {
  return async (call, next) => {
    const result = await next(call);
    const { maxResultBytes: maxBytes, key: toolKey, keepsStructured } = call;
    if (maxBytes === null || result.resultType === 'input_required') return result;
    return fitResult(result, shelf, {
      principal: call.principal.id,
      toolKey,
      maxBytes,
      keepsStructured,
      reader: call.reader,
      knowsLinks: call.agent.knowsLinks === true,
      onUnkept: (error) => log.warn('A large result could not be kept.', { tool: toolKey, error }),
    });
  };
}

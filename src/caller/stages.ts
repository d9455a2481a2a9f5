/** The small stages of a call: limit the calls of a principal, refuse those that no approval can allow, check and correct arguments, shape results. */

import type { RateLimit } from '../access/access.ts';
import { fitArguments, parameterLine } from '../arguments/arguments.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
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
import { reasonsInWords } from '../trust/trust.ts';
import type { Call, Stage } from './call.ts';
import type { Reader } from './trouble.ts';

export const authorizeCall: Stage = (call, next) => {
  checkAuthorized(call);
  return next(call);
};

/** Throws where the call may not be made, whatever anybody approves. */
export function checkAuthorized(call: Call): void {
  if (call.permission === 'deny') throw notThere(call);
  if (call.hold) throw changedSince(call, call.hold);
}

/** For one who may not call it, a denied tool does not exist. */
function notThere({ server, tool }: Call): GatewayError {
  return new GatewayError('TOOL_NOT_FOUND', `There is no tool "${tool}" on server "${server}".`);
}

/** Nothing that the server wrote stands in this: it is what may not be read before it is approved. */
function changedSince({ key, server, tool }: Call, { reasons }: NonNullable<Call['hold']>): GatewayError {
  const message = `Tool "${key}" changed since it was approved (${reasonsInWords(reasons)}) and waits for review by the owner.`;
  return new GatewayError('APPROVAL_NEEDED', message, {
    hint: `The owner can review it with "toolcrib review ${server}" and accept it with "toolcrib review accept ${server}:${tool}".`,
    data: { reason: 'definition-changed' },
  });
}

/** The tool or its permission changed while the call waited. */
export function changedMeanwhile({ key }: Call): GatewayError {
  return new GatewayError(
    'APPROVAL_NEEDED',
    `Tool "${key}" or its permission changed while the call waited, and it was not called.`,
    {
      hint: 'Check the tool again, and repeat the call if it still fits.',
      data: { reason: 'changed' },
    },
  );
}

export function limitCalls(rate: RateLimit): Stage {
  return (call, next) => {
    const waitMs = rate.take(call.principal.id);
    if (waitMs === undefined) return next(call);
    const seconds = Math.ceil(waitMs / 1_000);
    throw new GatewayError('RATE_LIMITED', 'This token has reached its limit of calls a minute.', {
      hint: `Try again in ${seconds} s.`,
      data: { retryAfterMs: waitMs },
    });
  };
}

const coercedKey = 'toolcrib/coerced';

export const validateArguments: Stage = (call, next) => {
  const checked = checkedCall(call);
  if (call.course && checked.coerced) call.course.corrections = checked.coerced;
  return next(checked);
};

/** The call, with harmless mistakes in its arguments corrected; throws at others. */
export function checkedCall(call: Call): Call {
  const read = fitArguments(call.definition, call.params.arguments ?? {});
  if ('value' in read) {
    if (read.corrections === undefined) return call;
    return { ...call, params: { ...call.params, arguments: read.value }, coerced: read.corrections };
  }
  const { mistakes, unknown } = read;
  const said = mistakes.join('; ');
  const message = `The arguments for "${call.key}" are not right: ${said}${said.endsWith('?') ? '' : '.'}`;
  throw new GatewayError('ARGUMENTS_INVALID', message, {
    hint: takesNow(call),
    data: { mistakes, parameters: parameterLine(call.definition), ...(unknown.length > 0 ? { unknown } : {}) },
  });
}

/** The parameters of a tool, for an agent whose arguments do not fit. */
export function takesNow({ definition, isRenewed }: Pick<Call, 'definition' | 'isRenewed'>): string {
  const line = parameterLine(definition) || 'no parameters';
  return isRenewed ? `The tool changed recently; it now takes: ${line}` : `It takes: ${line}`;
}

export const noteCoercions: Stage = async (call, next) => {
  const result = await next(call);
  if (call.coerced === undefined || call.coerced.length === 0) return result;
  return { ...result, _meta: { ...(isObject(result._meta) ? result._meta : {}), [coercedKey]: call.coerced } };
};

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

export async function fitResult(result: Result, stored: StoredResults, options: FitOptions): Promise<Result> {
  // Its parts on disk are within the limit too, or pictures.
  if (!isOver(result, options.maxBytes))
    return hasLongValues(result) ? loadLong(result, limits.wholeMessageBytes) : result;
  try {
    return await shape(result, stored, options);
  } finally {
    releaseLong(result);
  }
}

async function shape(result: Result, stored: StoredResults, options: FitOptions): Promise<Result> {
  const { principal, toolKey, onUnkept } = options;
  try {
    const kept = await stored.keep(result, { principal, toolKey });
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

export function shapeResults(stored: StoredResults, log: Log): Stage {
  return async (call, next) => {
    const result = await next(call);
    call.course?.enter('shape');
    const { maxResultBytes: maxBytes, key: toolKey, keepsStructured } = call;
    if (maxBytes === null || result.resultType === 'input_required') return result;
    return fitResult(result, stored, {
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

/** Stages: check the arguments before they cost a call, and say in the result which of them were corrected. */

import { fitArguments, parameterLine } from '../arguments/arguments.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Call, Stage } from './call.ts';

const coercedKey = 'toolcrib/coerced';

export const validateArguments: Stage = (call, next) => next(checkedCall(call));

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

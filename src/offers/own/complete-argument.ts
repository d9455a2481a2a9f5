/** The answer to a question for the values of one argument. */

import { isObject } from '../../base/json.ts';
import { type Params, type Result, RpcError, rpcCodes } from '../../protocol/messages.ts';
import { shownName } from '../../tools/tools.ts';
import { rankValues, type Value } from './rank-values.ts';

/** Throws the protocol's error for an argument that is not among the known ones. */
export async function completeArgument(
  { argument }: Params,
  known: readonly string[],
  valuesOf: (name: string) => Promise<Iterable<Value>>,
): Promise<Result> {
  if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string')
    throw new RpcError(rpcCodes.invalidParams, 'The parameter "argument" must be { name, value }, both texts.');
  const { name, value } = argument;
  if (!known.includes(name)) {
    const takes = known.length === 0 ? 'there are none here' : `there are ${known.join(', ')}`;
    throw new RpcError(rpcCodes.invalidParams, `There is no argument "${shownName(name)}"; ${takes}.`);
  }
  return { completion: rankValues(await valuesOf(name), value) };
}

/** `toolcrib://tool/{server}/{tool}` has "server" and "tool". */
export function namesIn(template: string): string[] {
  return [...template.matchAll(/\{\??([^{}]*)\}/g)].flatMap(([, names = '']) => names.split(','));
}

/** Completes the value of one argument: values that begin with the text first, then those that contain it, the most used first. */

import { isObject } from '../../base/json.ts';
import { type Params, type Result, RpcError, rpcCodes } from '../../protocol/messages.ts';
import { shownName } from '../../tools/tools.ts';

/** Throws the protocol's error for an argument that is not among the known ones. */
export async function completeArgument(
  { argument }: Params,
  known: readonly string[],
  valuesOf: (name: string) => Promise<Iterable<CompletionValue>>,
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
export function templateArguments(template: string): string[] {
  return [...template.matchAll(/\{\??([^{}]*)\}/g)].flatMap(([, names = '']) => names.split(','));
}

export interface CompletionValue {
  readonly text: string;
  /** How often it was used. */
  readonly use: number;
}

interface Completion {
  readonly values: readonly string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** The most that the protocol allows. */
const mostValues = 100;

export function rankValues(values: Iterable<CompletionValue>, typed: string): Completion {
  const wanted = typed.toLowerCase();
  const fitting = [...values].flatMap((value) => {
    const at = value.text.toLowerCase().indexOf(wanted);
    return at === -1 ? [] : [{ ...value, isInside: at > 0 }];
  });
  fitting.sort(
    (a, b) =>
      Number(a.isInside) - Number(b.isInside) || b.use - a.use || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0),
  );
  return {
    values: fitting.slice(0, mostValues).map(({ text }) => text),
    total: fitting.length,
    hasMore: fitting.length > mostValues,
  };
}

/** Each text once, with all of its use. */
export function joinEqual(values: Iterable<CompletionValue>): CompletionValue[] {
  const uses = new Map<string, number>();
  for (const { text, use } of values) uses.set(text, (uses.get(text) ?? 0) + use);
  return [...uses].map(([text, use]) => ({ text, use }));
}

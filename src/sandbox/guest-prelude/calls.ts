/** Tool calls and the other questions that a program may ask. Runs in the guest: no imports but types. */

import type { BridgeAnswer, BridgeError, GuestBridge } from '../guest-contract.ts';
import type { Builtins } from './builtins.ts';
import type { Converter } from './convert.ts';

export interface Requester {
  /** `shown` is the call as the program wrote it, `given` what it was given. */
  callTool(target: CallTarget, shown: string, given: readonly unknown[]): Promise<unknown>;
  ask(kind: string, inputJson: string, trace: Error): Promise<unknown>;
  mistake(message: string, hint?: string): Error;
  /** Adds a note for the reader of the answer. */
  remark(sentence: string): void;
}

export interface CallTarget {
  readonly server?: string;
  readonly tool?: string;
  readonly toolKey?: string;
}

export function makeRequester(
  builtins: Builtins,
  bridge: GuestBridge,
  converter: Converter,
  remark: (sentence: string) => void,
): Requester {
  const { parse } = builtins;
  const quote = (text: string | undefined) => builtins.stringify(`${text}`);
  const request = bridge.request;

  /** The trace was taken where the program asked: an error that is made when the answer comes knows no line of it. */
  async function ask(kind: string, inputJson: string, trace: Error): Promise<unknown> {
    const answer = parse(await request(`{"kind":"${kind}","input":${inputJson}}`)) as BridgeAnswer;
    // Its own, and not one that the program has given to all objects.
    const isTrouble = builtins.hasOwn(answer, 'error');
    if (isTrouble && 'error' in answer) throw asToolError(builtins, answer.error, trace);
    return (answer as { readonly ok: unknown }).ok;
  }

  function mistake(message: string, hint?: string): Error {
    return asToolError(
      builtins,
      { message, code: 'ARGUMENTS_INVALID', ...(hint && { hint }) },
      new builtins.Error(message),
    );
  }

  async function callTool(target: CallTarget, shown: string, given: readonly unknown[]): Promise<unknown> {
    const trace = new builtins.Error();
    const wrong = wrongArguments(builtins, shown, given);
    if (wrong !== undefined) throw asToolError(builtins, { message: wrong, code: 'ARGUMENTS_INVALID' }, trace);
    const named = given[0] === undefined || given[0] === null ? '{}' : (converter.toJson(given[0]) ?? '{}');
    const { server, tool, toolKey } = target;
    // Text by text: an object could have been given a `toJSON` by the program.
    const address =
      toolKey === undefined ? `"server":${quote(server)},"tool":${quote(tool)}` : `"toolKey":${quote(toolKey)}`;
    return await ask('call', `{${address},"arguments":${named}}`, trace);
  }

  return { callTool, ask, mistake, remark };
}

/** A tool takes one object with named members; everything else is refused with the right form. */
function wrongArguments(builtins: Builtins, shown: string, given: readonly unknown[]): string | undefined {
  const form = `Give one object with named arguments: await ${shown}({ name: value })`;
  let count = given.length;
  while (count > 0 && given[count - 1] === undefined) count -= 1;
  if (count > 1) return `${shown} was given ${count} arguments. ${form}.`;
  const only = given[0];
  if (only === undefined || only === null) return undefined;
  if (typeof only === 'object' && only instanceof builtins.Promise)
    return `${shown} got a Promise. Put \`await\` before the expression that makes it.`;
  if (typeof only === 'object' && !builtins.isArray(only)) return undefined;
  const what = typeof only === 'object' ? 'a list' : `a ${typeof only}`;
  return `${shown} was given ${what}. ${form}.`;
}

/** All that is known of the trouble is on the error, in members that JSON shows. */
function asToolError(builtins: Builtins, trouble: BridgeError, trace: Error): Error {
  const { create, defineProperty, keys } = builtins;
  const fields = create(null) as Record<string, unknown>;
  fields.name = 'ToolError';
  fields.message = trouble.message;
  fields.code = trouble.code;
  fields.tool = trouble.tool;
  fields.hint = trouble.hint;
  fields.data = trouble.data;
  fields.stack = programStack(builtins, `${trace.stack}`);
  const names = keys(fields);
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string;
    if (fields[name] === undefined) continue;
    const descriptor = create(null) as PropertyDescriptor;
    descriptor.value = fields[name];
    descriptor.writable = true;
    descriptor.configurable = true;
    descriptor.enumerable = name !== 'name' && name !== 'stack';
    defineProperty(trace, name, descriptor);
  }
  return trace;
}

/** Only the lines of the program itself: those of this code would mean nothing to its author. */
function programStack(builtins: Builtins, stack: string): string {
  let kept = '';
  let from = 0;
  while (from < stack.length) {
    const end = builtins.indexOf(stack, '\n', from);
    const line = builtins.slice(stack, from, end === -1 ? stack.length : end + 1);
    if (builtins.indexOf(line, 'prelude.js') === -1 && builtins.indexOf(line, '(native)') === -1) kept += line;
    from += line.length;
  }
  return kept;
}

/** Every function of this file that the prelude's source needs. */
export const callParts: readonly ((...given: never[]) => unknown)[] = [
  makeRequester,
  wrongArguments,
  asToolError,
  programStack,
];

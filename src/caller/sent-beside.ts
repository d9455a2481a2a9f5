/** What of a call reaches its server beside the arguments, as the agent wrote it: whoever approves the call approves that, too. */

import { isObject } from '../base/json.ts';
import { hopKeys } from '../protocol/eras.ts';
import type { Params } from '../protocol/messages.ts';

const id = /^[\w.:-]{1,128}$/;

/**
 * Members of `_meta` by which programs tell their requests apart, with the form that they have: where a request stands in a trace
 * (W3C Trace Context), and names of it that well-known agents make. They are others each time, and nothing is done because of
 * them. What is not of that form is not one of these.
 */
const madeAnew: ReadonlyMap<string, RegExp> = new Map([
  ['traceparent', /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/],
  ['tracestate', /^[\t\x20-\x7e]{0,512}$/],
  ['claudecode/toolUseId', id],
  ['vscode.conversationId', id],
  ['vscode.requestId', id],
]);

/** Undefined where there is nothing. Answers to what the server itself asked are not among it. */
export function sentBeside(params: Params): Readonly<Record<string, unknown>> | undefined {
  const { name, arguments: _, requestState, inputResponses, _meta: meta, ...others } = params;
  const said = isObject(meta) ? saidIn(meta) : meta;
  const beside = said === undefined ? others : { ...others, _meta: said };
  return Object.keys(beside).length === 0 ? undefined : beside;
}

function saidIn(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const said = Object.entries(meta).filter(([key, value]) => !hopKeys.includes(key) && !isMadeAnew(key, value));
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

function isMadeAnew(key: string, value: unknown): boolean {
  return typeof value === 'string' && madeAnew.get(key)?.test(value) === true;
}

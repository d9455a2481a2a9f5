/** Completes the arguments of the gateway's own prompts and templates from what there is now for the one who asks: what begins with the text first, the most used first. */

import { isObject } from '../../base/json.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { type Params, type Result, RpcError, rpcCodes } from '../../protocol/messages.ts';
import { shownName, visibleServers, visibleTools } from '../../tools/tools.ts';
import { callsOfTool, callsOfTools } from './daily-use.ts';
import { argumentsOfPrompt } from './own-prompts.ts';
import { catalogTemplates, firstSentenceOf } from './own-resources.ts';
import { type OwnView, serverIn, toolsOf, whenSettled } from './own-view.ts';

/** Characters of a task that is offered; what would have to be cut is not. */
const longestTask = 100;

/** Undefined for a reference to something that is none of ours. Throws the protocol's error for an unknown argument. */
export function completeOwn(view: OwnView, params: Params): Promise<Result> | undefined {
  const known = isObject(params.ref) ? argumentsOf(params.ref) : undefined;
  if (!known) return undefined;
  const others = isObject(params.context) && isObject(params.context.arguments) ? params.context.arguments : {};
  return completeArgument(params, known, async (name) => {
    await whenSettled(view);
    return valuesFor(view, name, others);
  });
}

function argumentsOf({ type, name, uri }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  if (type === 'ref/prompt') return argumentsOfPrompt(name);
  const isMeant = type === 'ref/resource' && catalogTemplates.some(({ uriTemplate }) => uriTemplate === uri);
  return isMeant ? templateArguments(String(uri)) : undefined;
}

function valuesFor(
  view: OwnView,
  argument: string,
  others: Readonly<Record<string, unknown>>,
): Iterable<CompletionValue> {
  const { metrics, catalog } = view.door.layers;
  if (argument === 'tool')
    return joinEqual(toolsFor(view, others).map((tool) => ({ text: tool.name, use: callsOfTool(metrics, tool) })));
  if (argument === 'task') return joinEqual(tasksOf(view));
  const servers = visibleServers(catalog.snapshot, view.principal);
  return servers.map((server) => ({ text: server.spec.name, use: callsOfTools(metrics, toolsOf(view, server)) }));
}

/** Those of the server that was given before, or all. */
function toolsFor(view: OwnView, { server }: Readonly<Record<string, unknown>>): Entry[] {
  if (typeof server !== 'string' || server === '')
    return visibleTools(view.door.layers.catalog.snapshot, view.principal);
  const found = serverIn(view, server);
  return found ? toolsOf(view, found) : [];
}

/** First sentences of tools, offered as tasks. */
function tasksOf(view: OwnView): CompletionValue[] {
  const { catalog, metrics } = view.door.layers;
  return visibleTools(catalog.snapshot, view.principal).flatMap((tool) => {
    const sentence = firstSentenceOf(tool);
    const text = sentence.length > longestTask ? '' : sentence.replace(/[.!]$/, '');
    return text === '' ? [] : [{ text, use: callsOfTool(metrics, tool) }];
  });
}

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

interface CompletionValue {
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

/** Completes the arguments of the gateway's own prompts and templates, but that of results, from what there is now for the one who asks. */

import { isObject } from '../../base/json.ts';
import type { Entry } from '../../catalog/catalog.ts';
import type { Params, Result } from '../../protocol/messages.ts';
import { visibleServers, visibleTools } from '../../tools/tools.ts';
import { type CompletionValue, completeArgument, joinEqual, templateArguments } from './complete-argument.ts';
import { callsOfTool, callsOfTools } from './daily-use.ts';
import { argumentsOfPrompt } from './own-prompts.ts';
import { catalogTemplates } from './own-resources.ts';
import { type OwnView, serverIn, toolsOf, whenSettled } from './own-view.ts';
import { firstSentenceOf } from './tool-index.ts';

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

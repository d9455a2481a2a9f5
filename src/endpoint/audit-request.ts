/** Records a request of an agent in the audit, as discovery, execution or administration. */

import { shownInput } from '../audit/audit.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { MetaTool } from '../meta-tools/meta-tools.ts';
import type { Params, Result } from '../protocol/messages.ts';
import { type Act, type ActFacts, auditAct, type EndpointRequest, type Uses } from '../tools/tools.ts';

/** The gateway's own tools at one door; any other name there is that of a server's tool. */
export type OwnTools = ReadonlyMap<string, Pick<MetaTool, 'kind' | 'act'>>;

export function auditRequest(
  layers: Uses<'audit' | 'clock'>,
  request: EndpointRequest,
  ownTools: OwnTools,
  run: () => Promise<Result>,
): Promise<Result> {
  return auditAct(layers, request, actOf(request, ownTools), run, factsOf);
}

function actOf({ method, params }: EndpointRequest, ownTools: OwnTools): Act {
  if (method === 'tools/call') return actOfCall(params, ownTools);
  const action = method.replaceAll('/', '.');
  const { _meta: _, cursor: __, ...asked } = params;
  if (method === 'resources/read') return { kind: 'execution', action, tool: textOf(params.uri), arguments: asked };
  if (method === 'prompts/get') return { kind: 'execution', action, tool: textOf(params.name), arguments: asked };
  return { kind: 'discovery', action, arguments: Object.keys(asked).length === 0 ? undefined : asked };
}

function actOfCall(params: Params, ownTools: OwnTools): Act {
  const name = textOf(params.name) ?? '';
  const own = ownTools.get(name);
  const given = params.arguments ?? {};
  if (own === undefined) return { kind: 'execution', action: 'tools.call', tool: name, arguments: given, isCall: true };
  const kind = own.act;
  if (kind === 'administration')
    return { kind, action: name, server: serverIn(given), detail: { input: shownInput(given) } };
  if (own.kind !== 'execute') return { kind, action: name, tool: writtenTool(given), arguments: given };
  return { kind, action: 'tools.call', tool: writtenTool(given), arguments: given, isCall: true };
}

/** Which server an order of the owner is about. */
function serverIn(given: unknown): string | undefined {
  return isObject(given) ? textOf(given.name) : undefined;
}

/** The tool that was asked for, as it was written. */
function writtenTool(given: unknown): string | undefined {
  if (!isObject(given)) return undefined;
  const { toolKey, server, tool } = given;
  const isPair = typeof server === 'string' && typeof tool === 'string';
  return textOf(toolKey) ?? (isPair ? `${server}:${tool}` : textOf(tool));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function factsOf(result: Result): ActFacts {
  const detail = countIn(result);
  return { result, ...(detail === undefined ? {} : { detail }) };
}

const listed = ['tools', 'resources', 'resourceTemplates', 'prompts', 'servers', 'results', 'calls'] as const;

/** How much was shown. */
function countIn(result: Result): JsonObject | undefined {
  const answers = isObject(result.structuredContent) ? [result, result.structuredContent] : [result];
  for (const answer of answers) {
    for (const member of listed) if (Array.isArray(answer[member])) return { count: answer[member].length };
  }
  return undefined;
}

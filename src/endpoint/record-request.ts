/** Records of a request: one event in the audit, and a note of what the agent was shown, by which owners learn what each surface costs. */

import type { Principal } from '../access/access.ts';
import { aboutTokens, aboutTokensOf } from '../base/estimate-tokens.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { type Act, type ActFacts, auditAct } from '../caller/caller.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { MetaTool } from '../meta-tools/meta-tools.ts';
import type { DisclosureNote } from '../metrics/metrics.ts';
import type { Params, Result } from '../protocol/messages.ts';
import {
  type EndpointRequest,
  perViewer,
  type ShownSurface,
  shownBytes,
  type Uses,
  visibleTools,
} from '../tools/tools.ts';

/** The gateway's own tools at one door; any other name there is that of a server's tool. */
export type OwnTools = ReadonlyMap<string, Pick<MetaTool, 'kind' | 'auditedAs'>>;

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
  const kind = own.auditedAs;
  if (kind === 'administration') return { kind, action: name, order: { input: given, server: serverIn(given) } };
  if (own.kind !== 'execute') return { kind, action: name, tool: writtenTool(given), arguments: given };
  return { kind, action: 'tools.call', tool: writtenTool(given), arguments: given, isCall: true };
}

/** Which server an order of the owner is about. */
function serverIn(given: unknown): string | undefined {
  return isObject(given) ? (textOf(given.server) ?? textOf(given.name)) : undefined;
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

/** A principal who was shown something, and on which surface. */
export interface Viewer {
  readonly principal: Principal;
  readonly surface: ShownSurface;
}

/** As what each kind of our tools is counted; the others have nothing to do with finding or calling tools. */
const countedAs: Readonly<Record<MetaTool['kind'], DisclosureNote['kind'] | undefined>> = {
  find: 'find',
  describe: 'find',
  execute: 'execute',
  chain: 'chain',
  other: undefined,
};

/** `tools` as they were listed. */
export function noteList(layers: Uses<'catalog' | 'disclosure'>, viewer: Viewer, tools: readonly object[]): void {
  const directTokens = directListTokens(layers.catalog.snapshot, viewer.principal);
  const tokens = viewer.surface === 'direct' ? directTokens : shownTokens(tools);
  note(layers, viewer, { kind: 'list', tokens, directTokens });
}

/** A tool that was called by its public name. */
export function noteDirectCall(layers: Uses<'disclosure'>, viewer: Viewer, params: Params): void {
  if (!isContinued(params)) note(layers, viewer, { kind: 'direct', tokens: 0 });
}

/** A tool of ours that was called. The result of the tool that it calls is the same on every surface, and is not counted. */
export function noteMetaTool(layers: Uses<'disclosure'>, viewer: Viewer, call: MetaToolCall): void {
  const kind = countedAs[call.tool.kind];
  if (kind === undefined || isContinued(call.params)) return;
  if (kind === 'execute') return note(layers, viewer, { kind, tokens: 0 });
  const tokens = aboutTokens(JSON.stringify(call.params.arguments ?? {})) + readTokens(call.result);
  if (kind !== 'chain') return note(layers, viewer, { kind, tokens });
  note(layers, viewer, { kind, tokens, calls: callsInside(call.result) });
}

interface MetaToolCall {
  readonly tool: Pick<MetaTool, 'kind'>;
  /** Of the `tools/call`. */
  readonly params: Params;
  readonly result: Result;
}

/** The agent gives an answer that a server waits for: its model has called the tool before. */
function isContinued({ requestState }: Params): boolean {
  return requestState !== undefined;
}

/** How many tools a chain called, as its answer tells: a row may stand for several calls. */
function callsInside({ structuredContent }: Result): number {
  const rows = isObject(structuredContent) ? structuredContent.calls : undefined;
  if (!Array.isArray(rows)) return 0;
  return rows.filter(isObject).reduce((sum, { count }) => sum + (typeof count === 'number' ? count : 1), 0);
}

/** About how many tokens a list of tools is for a model: agents pass on names, descriptions and input schemas, not more. */
export function shownTokens(tools: readonly object[]): number {
  return aboutTokensOf(tools.reduce((sum, tool) => sum + shownBytes(tool), 0));
}

function note(
  { disclosure }: Uses<'disclosure'>,
  { principal, surface }: Viewer,
  what: Omit<DisclosureNote, 'surface'>,
) {
  disclosure.note({ surface, project: principal.project?.name, ...what });
}

/** A model reads the text of an answer, and not the structured content, which repeats it. */
function readTokens({ content }: Result): number {
  if (!Array.isArray(content)) return 0;
  const texts = content.filter(isObject).map(({ text }) => (typeof text === 'string' ? text : ''));
  return aboutTokensOf(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
}

/** Tokens of the list on the surface `direct`. */
const directListTokens = perViewer((snapshot, principal) =>
  aboutTokensOf(visibleTools(snapshot, principal).reduce(addPublic, 0)),
);

/** A public name begins with the name of the server and a separator. */
function addPublic(sum: number, { definition, server }: Entry): number {
  return sum + shownBytes(definition) + server.length + 1;
}

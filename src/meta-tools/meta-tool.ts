/** A tool of the gateway's own: its definition, what it does, and the other words that agents have for its parameters. */

import type { Principal } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import type { AgentSide } from '../caller/caller.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { AuditKind } from '../store/store.ts';
import { type LayerName, type ShownSurface, type Uses, viewerOf } from '../tools/tools.ts';

/** The layers that tools of ours use, all of them together. */
export type ToolLayer = Exclude<LayerName, 'disclosure'>;

export interface MetaToolRequest<L extends LayerName = ToolLayer> {
  readonly layers: Uses<L>;
  readonly principal: Principal;
  readonly agent: AgentSide;
  readonly args: Readonly<Record<string, unknown>>;
  /** All parameters of the `tools/call`, for what travels beside the arguments. */
  readonly params: Params;
  /** The surface that the agent sees; left out at doors that have none. */
  readonly surface?: ShownSurface | undefined;
}

/** `L`: the layers that it uses when it is called. */
export interface MetaTool<L extends LayerName = ToolLayer> {
  readonly name: string;
  /** Its effect on other tools: decides how calls are counted, and whether our own tools are called or described through it. */
  readonly kind: 'find' | 'describe' | 'execute' | 'chain' | 'other';
  /** The kind of its calls in the audit. */
  readonly auditedAs: AuditKind;
  /** Where it is not for everybody, or can be switched off: whether it is listed. It is answered in any case. */
  isListed?(layers: Uses<'catalog' | 'search' | 'config'>, principal: Principal): boolean;
  /** May depend on the catalog (a capability index) and on what else the agent has, so it is made when it is listed. */
  define(
    layers: Uses<'catalog' | 'search' | 'config'>,
    principal: Principal,
    surface?: ShownSurface,
  ): Record<string, unknown>;
  /** Its answer keeps within the limit on results by itself. */
  run(request: MetaToolRequest<L>): Promise<Result>;
}

/** Runs one for an agent, whatever words it has for the parameters; one that finds tools may ask the agent's model. */
export function runMetaTool(tool: MetaTool, request: MetaToolRequest): Promise<Result> {
  const names = () => {
    const { inputSchema } = tool.define(request.layers, request.principal);
    return isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  };
  const run = (agent: AgentSide) => tool.run({ ...request, agent, args: withOwnNames(request.args, names) });
  const { layers, principal, agent, params } = request;
  return tool.kind === 'find'
    ? layers.caller.converse({ viewer: viewerOf(principal), params }, agent, run)
    : run(agent);
}

/** Agents that defer tools are asked to load these at once: the others are found through them. */
export const loadHint = { 'anthropic/alwaysLoad': true };

export const readOnly = { readOnlyHint: true, openWorldHint: false };

/** Each group is one parameter; a tool has at most one of its names. */
const groups: readonly (readonly string[])[] = [
  ['maxResults', 'limit', 'pageSize', 'top', 'max_results', 'top_k', 'topK', 'page_size', 'n', 'count'],
  ['detailLevel', 'detail', 'detail_level'],
  ['minSimilarity', 'min_similarity'],
  ['toolKey', 'tool_key'],
];
const groupOf = new Map(groups.flatMap((group) => group.map((name) => [name, group] as const)));

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments by the names that a tool has; a name of its own goes before another word for it. */
export function withOwnNames(args: Arguments, ownNames: () => readonly string[]): Arguments {
  if (!Object.keys(args).some((name) => groupOf.has(name))) return args;
  const own = new Set(ownNames());
  const renamed = Object.entries(args).map(([name, value]) => [nameFor(name, own), value] as const);
  return Object.fromEntries([...renamed, ...Object.entries(args).filter(([name]) => own.has(name))]);
}

function nameFor(name: string, own: ReadonlySet<string>): string {
  return own.has(name) ? name : (groupOf.get(name)?.find((other) => own.has(other)) ?? name);
}

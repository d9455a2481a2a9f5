/** A tool of the gateway's own: its definition and what it does. */

import type { Principal } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import type { AgentSide } from '../caller/caller.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { AuditKind } from '../store/store.ts';
import type { LayerName, ShownSurface, Uses } from '../tools/tools.ts';
import { withOwnNames } from './argument-names.ts';

/** The layers that tools of ours use, all of them together. */
export type ToolLayer = Exclude<LayerName, 'disclosure'>;

export interface MetaToolRequest<L extends LayerName = ToolLayer> {
  readonly layers: Uses<L>;
  readonly principal: Principal;
  readonly agent: AgentSide;
  readonly args: Readonly<Record<string, unknown>>;
  /** All parameters of the `tools/call`, for what travels beside the arguments. */
  readonly params: Params;
  /** What the agent sees; left out at doors that have no surfaces. */
  readonly surface?: ShownSurface | undefined;
}

/** `L`: the layers that it uses when it is called. */
export interface MetaTool<L extends LayerName = ToolLayer> {
  readonly name: string;
  /** What it does with other tools: agents' calls are counted by it, and tools of ours are called and described through it too. */
  readonly kind: 'find' | 'describe' | 'execute' | 'chain' | 'other';
  /** What calling it is in the audit. */
  readonly act: AuditKind;
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

/** Runs one for an agent, whatever words it has for the parameters. */
export function runMetaTool(tool: MetaTool, request: MetaToolRequest): Promise<Result> {
  const names = () => {
    const { inputSchema } = tool.define(request.layers, request.principal);
    return isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  };
  return tool.run({ ...request, args: withOwnNames(request.args, names) });
}

/** Agents that defer tools are asked to load these at once: the others are found through them. */
export const loadHint = { 'anthropic/alwaysLoad': true };

export const readOnly = { readOnlyHint: true, openWorldHint: false };

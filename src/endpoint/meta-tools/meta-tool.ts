/** A tool of the gateway's own: its definition and what it does. */

import type { Principal } from '../../access/access.ts';
import type { AgentSide } from '../../caller/caller.ts';
import type { Params, Result } from '../../protocol/messages.ts';
import { ownText } from '../../results/results.ts';
import type { EndpointContext } from '../endpoint.ts';

export interface MetaToolRequest {
  readonly context: EndpointContext;
  readonly principal: Principal;
  readonly agent: AgentSide;
  readonly args: Readonly<Record<string, unknown>>;
  /** All parameters of the `tools/call`, for what travels beside the arguments. */
  readonly params: Params;
}

export interface MetaTool {
  readonly name: string;
  /** Set where its answers are within the limit on results by themselves. */
  readonly isBounded?: boolean;
  /** May depend on the catalog (a capability index), so it is made when it is listed. */
  define(context: EndpointContext, principal: Principal): Record<string, unknown>;
  run(request: MetaToolRequest): Promise<Result>;
}

/** An answer of our own: compact JSON as text, and the same object as structured content. */
export function answer(value: Record<string, unknown>): Result {
  return { content: [ownText(JSON.stringify(value))], structuredContent: value };
}

/** Agents that defer tools are asked to load these at once: the others are found through them. */
export const loadHint = { 'anthropic/alwaysLoad': true };

export const readOnly = { readOnlyHint: true, openWorldHint: false };

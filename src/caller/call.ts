/** One execution of a tool: everything the pipeline needs, so that no stage has to look anything up. */

import type { Permission, Principal } from '../access/access.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { AgentSide } from './agent-side.ts';

export interface Call {
  readonly principal: Principal;
  readonly server: string;
  /** The name by which the server knows the tool. */
  readonly tool: string;
  /** `server:tool`, for messages. */
  readonly key: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly permission: Permission;
  /** The parameters of `tools/call` with the server's own tool name. */
  readonly params: Params;
  readonly timeoutMs: number;
  readonly agent: AgentSide;
}

/** A stage acts on a call and hands it to the next; what it throws is trouble, what it returns is the result. */
export type Stage = (call: Call, next: (call: Call) => Promise<Result>) => Promise<Result>;

/** One session with one gateway. An agent has one after the other when gateways come and go. */

import type { AgentDoor } from './exchange.ts';

export interface Live {
  readonly door: AgentDoor;
  /** Undefined for an agent that has not said `initialize`. */
  readonly id: string | undefined;
  readonly version: string | undefined;
  /** Counts the sessions of this agent. */
  readonly number: number;
  readonly closing: AbortController;
}

export function sessionHeaders(live: Live): Record<string, string> {
  return {
    ...(live.id === undefined ? {} : { 'mcp-session-id': live.id }),
    ...(live.version === undefined ? {} : { 'mcp-protocol-version': live.version }),
  };
}

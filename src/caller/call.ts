/** One execution of a tool: everything the pipeline needs, so that no stage has to look anything up. */

import type { Permission, Principal } from '../access/access.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { Hold } from '../trust/trust.ts';
import type { AgentSide } from './agent-side.ts';
import type { Reader } from './recoveries.ts';

/** How a call came in. `plain` shows a server exactly as it is; `api` is a person or program that wants all of a result. */
export type CallWay = 'execute' | 'direct' | 'server' | 'plain' | 'api' | 'chain';

export interface Call {
  readonly principal: Principal;
  readonly server: string;
  /** The name by which the server knows the tool. */
  readonly tool: string;
  /** `server:tool`, for messages. */
  readonly key: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
  readonly permission: Permission;
  /** Whether its definition changed lately: the agent may still have the one before. */
  readonly isRenewed: boolean;
  /** Set while the tool is another one than what was approved. */
  readonly hold?: Hold | undefined;
  /** The same as it is by now, for a call that waited: by then its token may be revoked, its server gone, its tool another. */
  readonly standing: () => Standing;
  /** Set where whoever calls may approve the call as well, and does. */
  readonly isApproved?: boolean | undefined;
  /** The parameters of `tools/call` with the server's own tool name. */
  readonly params: Params;
  readonly timeoutMs: number;
  readonly agent: AgentSide;
  readonly way: CallWay;
  /** Which tools of ours the agent has, for advice that it can follow. */
  readonly reader: Reader;
  /** How long a result may be used again; 0: never. */
  readonly cacheTtlMs: number;
  /** What the server is, whatever its name: results of another one under the same name are not used again. */
  readonly serverIdentity: string;
  /** Set where each agent session has a server of its own: results are then the session's, too. */
  readonly isPerSession: boolean;
  /** A result over this becomes a preview and a link; null: it stays whole. */
  readonly maxResultBytes: number | null;
  /** Whether the agent validates structured content against the tool's output schema, which must therefore stay whole. */
  readonly keepsStructured: boolean;
  /** The search whose answer offered the tool. */
  readonly query: string | null;
  /** Who knows other tools, for when this one fails; null: nobody is asked. */
  readonly advisor: Advisor | null;
  /** Arguments that were read as another type, as short notes. */
  readonly coerced?: readonly string[] | undefined;
}

/** What decides whether a call may be made. */
export interface Standing extends Pick<Call, 'permission' | 'hold' | 'definition' | 'fingerprint'> {
  /** What stands behind the name of the tool: changes with the server and with the tool's definition. */
  readonly identity: string;
}

/** The tool itself: an alias counts as the tool that it stands for. */
export function addressOf({ server, tool }: Pick<Call, 'server' | 'tool'>): string {
  return `${server}:${tool}`;
}

/** A stage acts on a call and hands it to the next; what it throws is trouble, what it returns is the result. */
export type Stage = (call: Call, next: (call: Call) => Promise<Result>) => Promise<Result>;

/** How a call ended. */
export type Ended = { readonly result: Result } | { readonly error: unknown };

/** Another tool for the purpose of one that failed. */
export interface Alternative {
  readonly server: string;
  readonly tool: string;
  readonly toolKey: string;
  /** 0 to 1. */
  readonly similarity: number;
  /** null: never called yet. */
  readonly successRate: number | null;
  /** One sentence. */
  readonly reason: string;
  /** What of the failed call's arguments it takes. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Required parameters that these leave open. */
  readonly missing?: readonly string[] | undefined;
}

/** Knows the other tools; the caller itself looks nothing up. */
export interface Advisor {
  /** Best first; only tools that the same principal may call, and none with a stronger effect. */
  alternatives(call: Call, errorType: ErrorCode | null): Promise<readonly Alternative[]>;
  /** The name by which this agent calls a tool. */
  nameOf(toolKey: string): string;
  /** A call of an alternative that may be made without asking, or undefined. */
  retry(call: Call, alternative: Alternative): Call | undefined;
}

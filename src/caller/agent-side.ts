/** The agent at the other end of one request, as far as a call has to know it. The doors make these. */

import type { Era } from '../protocol/eras.ts';
import type { Params, RequestId, Result, RpcNotification } from '../protocol/messages.ts';

export interface AgentSide {
  readonly era: Era;
  readonly capabilities: Record<string, unknown>;
  readonly logLevel?: string | undefined;
  /** Whether it knows content that is a link to a resource, which the first versions of the protocol had not. */
  readonly knowsLinks?: boolean | undefined;
  /** What a server that must not be shared is kept apart by: a session, or the principal where there are none. */
  readonly session: string;
  /** Aborts when the agent cancels, or is gone where its era takes that as cancelling. */
  readonly signal: AbortSignal;
  readonly progressToken?: RequestId | undefined;
  /** The program at the other end as it names itself, and the id of its request: for the audit, and believed for nothing else. */
  readonly client?: string | undefined;
  readonly requestId?: string | undefined;
  /** Sends a notification on the stream of this request. */
  notify(message: RpcNotification): void;
  /** Asks the agent something on that stream; only agents of the legacy era can be asked so. */
  readonly ask?: ((method: string, params: Params | undefined, signal: AbortSignal) => Promise<Result>) | undefined;
  /** What servers wanted to ask it and could not, where somebody wants to know. */
  readonly unasked?: string[] | undefined;
}

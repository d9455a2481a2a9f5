/** An event as its observer reports it. */

import type { JsonObject } from '../base/json.ts';
import { type AuditKind, outcomeKinds } from '../store/store.ts';

/** How something ended: like a call, or in trouble of any kind. */
export const auditOutcomes = [...outcomeKinds, 'failed'] as const;
type AuditOutcome = (typeof auditOutcomes)[number];

export interface AuditEvent {
  readonly kind: AuditKind;
  /** The deed, such as `tools.call`, `tool_discovery` or `token.create`. */
  readonly action: string;
  readonly principal: { readonly id: string; readonly name: string };
  /** The program that it came from, such as `claude-code/2.1`. */
  readonly client?: string | null | undefined;
  /** The request that it was done for, by our id; left out, the one that is being served; null: none. */
  readonly requestId?: string | null | undefined;
  /** The id that the agent gave to its request, and the project in which it was acting. */
  readonly rpcId?: string | null | undefined;
  readonly project?: string | null | undefined;
  /** The agent's session, of which only a hash is kept. */
  readonly session?: string | null | undefined;
  readonly server?: string | null | undefined;
  readonly tool?: string | null | undefined;
  readonly outcome: AuditOutcome;
  readonly errorType?: string | null | undefined;
  readonly ms?: number | null | undefined;
  /** Hashed; kept only where the owner wants that, with secrets masked. */
  readonly arguments?: unknown;
  /** Further facts, with secrets masked: never put one there. */
  readonly detail?: JsonObject | undefined;
}

/** One finished call as it is written down: who was called, how it ended, how long it took. */

export const outcomeKinds = ['ok', 'arguments', 'tool', 'server', 'timeout', 'cancelled', 'refused'] as const;

/**
 * `arguments`: the caller's arguments were wrong; `tool`: the tool said no; `server`: it could not be reached or died;
 * `refused`: by us, because of access, approval or rate.
 */
export type OutcomeKind = (typeof outcomeKinds)[number];

export interface CallRecord {
  /** Wall clock, when it ended. */
  readonly at: number;
  readonly server: string;
  /** The server's own name for it. */
  readonly tool: string;
  readonly outcome: OutcomeKind;
  /** An `ErrorCode`, or null. */
  readonly errorType: string | null;
  /** The first sentence, masked and short; null when it went well. */
  readonly error: string | null;
  /** Fractions are kept to the microsecond. */
  readonly ms: number;
  readonly requestBytes: number;
  readonly resultBytes: number;
  /** The way it came in. */
  readonly way: string;
  readonly isCached: boolean;
  /** The id of who asked. */
  readonly principal: string;
  /** The opaque id of the agent's session. */
  readonly session: string;
  /** The toolKey that this session called before, successfully. */
  readonly previous: string | null;
  /** The query whose answer offered this tool. */
  readonly query: string | null;
  /** The toolKey of the failed tool as whose alternative this one was suggested. */
  readonly suggestedFor: string | null;
}

export function toolKeyOf({ server, tool }: { readonly server: string; readonly tool: string }): string {
  return `${server}:${tool}`;
}

/** How one server is at a moment, for those who show it. */

import { GatewayError } from '../base/errors.ts';
import type { ServerSpec } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';

export type ServerState = 'configured' | 'connecting' | 'connected' | 'failed' | 'disabled';

export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly era: Era | null;
  readonly connectedAt: number | null;
  /** The same in monotonic time, to compare it with other moments of this run. */
  readonly connectedElapsed: number | null;
  readonly lastError: string | null;
  /** What a person can do about the last error. */
  readonly hint: string | null;
  /** Why it failed, for programs. */
  readonly reason: string | null;
  readonly nextRetryAt: number | null;
  readonly callsInFlight: number;
  readonly pids: readonly number[];
  readonly junkLines: number;
  /** Read, and masked, only when somebody looks. */
  readonly junkSample: string;
  readonly stderr: string;
}

/** Why nothing can be sent to a server, whatever state its links are in. */
export function unusable({ name, problem, isEnabled }: ServerSpec): GatewayError | undefined {
  if (problem) return new GatewayError('SERVER_NOT_RUNNING', `Server "${name}" cannot be used: ${problem}`);
  if (isEnabled) return undefined;
  return new GatewayError('SERVER_NOT_RUNNING', `Server "${name}" is disabled.`, {
    hint: `Run: toolcrib enable ${name}`,
  });
}

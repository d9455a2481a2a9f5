/** How one server is at a moment, for those who show it. */

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
